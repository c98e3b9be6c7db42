package dev.longhaul.process.supervise;

import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A process to start.
 *
 * @param command the program and its arguments
 * @param environment variables added to the default environment
 * @param directory the working directory; null uses the private directory of the run
 * @param nanosLeft remaining time until the sitter kills it; Long.MAX_VALUE means until the worker ends
 */
public record Launch(
        List<String> command,
        Map<String, String> environment,
        @Nullable String directory,
        ProcessLimits limits,
        LongSupplier nanosLeft) {}
