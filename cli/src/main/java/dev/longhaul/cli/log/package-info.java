/**
 * The format and the levels of the log of this process. {@code logback.xml} names these classes;
 * {@link dev.longhaul.cli.log.RunningLog} changes the levels while the process runs. Does not depend on other packages
 * of the command line.
 */
@NullMarked
package dev.longhaul.cli.log;

import org.jspecify.annotations.NullMarked;
