package dev.longhaul.bench;

import java.io.PrintStream;
import java.util.List;

/** Measures the server's doors under load from another process; {@code longhaul bench http} starts it. */
public final class HttpBenchmark {
    private HttpBenchmark() {}

    public static void main(String[] args) throws Exception {
        if (List.of(args).contains("--help")) {
            System.out.println(Menu.HTTP.usage());
            return;
        }
        run(Options.parse(Menu.HTTP, args), System.out);
    }

    static EngineTable run(Options options, PrintStream out) throws Exception {
        return EngineTable.fill(Menu.HTTP, options, out, new HttpEnqueues()::run);
    }
}
