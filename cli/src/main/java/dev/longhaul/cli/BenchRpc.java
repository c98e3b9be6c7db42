package dev.longhaul.cli;

import dev.longhaul.bench.RpcBenchmark;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Unmatched;

/** Hands all its arguments, {@code --help} too, to the benchmark: only that knows what they mean. */
@Command(
        name = "rpc",
        description =
                "Measures the RPC services with clients in another process, beside empty calls of the same server.",
        customSynopsis = "longhaul bench rpc [ARGUMENT...]")
final class BenchRpc implements Callable<Integer> {
    @Unmatched
    private List<String> arguments = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        RpcBenchmark.main(arguments.toArray(String[]::new));
        return ExitCode.OK;
    }
}
