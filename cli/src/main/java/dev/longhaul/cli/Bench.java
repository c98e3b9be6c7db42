package dev.longhaul.cli;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/**
 * Reports that the benchmarks are not in this jar. In a checkout of the sources, the launcher starts them without this
 * class.
 */
@Command(
        name = "bench",
        description = "Runs the benchmarks on this machine. Available only in a source checkout, as ./longhaul bench.",
        mixinStandardHelpOptions = true)
final class Bench implements Runnable {
    @Unmatched
    private List<String> arguments = new ArrayList<>();

    @Override
    public void run() {
        throw new LonghaulException(
                ErrorCode.INVALID_ARGUMENT,
                "the benchmarks are not part of the distribution; in a checkout of the sources, run "
                        + String.join(" ", "./longhaul bench", String.join(" ", arguments))
                                .strip());
    }
}
