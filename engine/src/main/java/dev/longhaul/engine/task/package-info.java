/**
 * The file that contains a run for another process, which executes it and reports to a server. Executors write the
 * file, clients read it. Start at {@link dev.longhaul.engine.task.TaskFile}. This package must not depend on the rest
 * of the engine.
 */
@NullMarked
package dev.longhaul.engine.task;

import org.jspecify.annotations.NullMarked;
