package dev.longhaul.process.supervise;

import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A process to start.
 *
 * @param command what to run, word by word
 * @param environment what it is given besides the usual
 * @param directory where it runs; null means in a directory of its own, which it has in any case
 * @param nanosLeft how long it may live unless that is renewed; Long.MAX_VALUE is for as long as the worker does
 */
public record Launch(
        List<String> command,
        Map<String, String> environment,
        @Nullable String directory,
        ProcessLimits limits,
        LongSupplier nanosLeft) {}
