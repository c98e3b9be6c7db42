/**
 * The file that hands a run to a process elsewhere, which executes it and reports to a server. Executors write it,
 * clients read it. Start at {@link dev.longhaul.engine.task.TaskFile}. Must not depend on the rest of the engine.
 */
@NullMarked
package dev.longhaul.engine.task;

import org.jspecify.annotations.NullMarked;
