package dev.longhaul.bench;

import dev.longhaul.bench.engine.EngineBenchmark;
import dev.longhaul.bench.http.HttpBenchmark;
import dev.longhaul.bench.isolation.IsolationBenchmark;
import dev.longhaul.bench.measure.Menu;
import dev.longhaul.bench.rpc.RpcBenchmark;
import dev.longhaul.bench.schedule.SchedulesBenchmark;
import dev.longhaul.bench.store.StoreBenchmark;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The program that {@code ./longhaul bench} starts in a checkout. Reports a usage error if no benchmark is named. */
@Command(
        name = "longhaul bench",
        description = "Measures Longhaul on this machine.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
public final class BenchMain {
    private BenchMain() {}

    public static void main(String[] args) {
        System.exit(commandLine(StoreBenchmark::run).execute(args));
    }

    static CommandLine commandLine(Benchmark.Program store) {
        var group = new CommandLine(new BenchMain()).setExpandAtFiles(false);
        add(group, Menu.STORE, "Measures the store, compared with the maximum of this PostgreSQL.", store);
        add(
                group,
                Menu.ENGINE,
                "Measures the engine, compared with the maximum of this PostgreSQL.",
                EngineBenchmark::run);
        add(
                group,
                Menu.HTTP,
                "Measures the server under load from another process, compared with the maximum of this PostgreSQL.",
                HttpBenchmark::run);
        add(
                group,
                Menu.ISOLATION,
                "Measures the cost of a separate process per run, compared with a thread and a bare process.",
                IsolationBenchmark::run);
        add(
                group,
                Menu.RPC,
                "Measures the RPC services with clients in another process, compared with empty calls.",
                RpcBenchmark::run);
        add(
                group,
                Menu.SCHEDULES,
                "Measures the lateness of schedules, and the cost of many schedules.",
                SchedulesBenchmark::run);
        return group;
    }

    private static void add(CommandLine group, Menu menu, String description, Benchmark.Program program) {
        var command = new CommandLine(new Benchmark(menu, program));
        command.getCommandSpec()
                .name(menu.name())
                .usageMessage()
                .description(description)
                .customSynopsis("longhaul bench " + menu.name() + " [ARGUMENT...]");
        group.addSubcommand(menu.name(), command);
    }
}
