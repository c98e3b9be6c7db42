package dev.longhaul.cli;

import dev.longhaul.bench.EngineBenchmark;
import dev.longhaul.bench.HttpBenchmark;
import dev.longhaul.bench.IsolationBenchmark;
import dev.longhaul.bench.RpcBenchmark;
import dev.longhaul.bench.SchedulesBenchmark;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Groups the benchmarks; does nothing by itself, so that {@code longhaul bench} alone is a usage error. */
@Command(
        name = "bench",
        description = "Measures Longhaul on this machine.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
final class Bench {
    private Bench() {}

    static CommandLine group(Benchmark.Program store) {
        var group = new CommandLine(new Bench());
        add(group, "store", "Measures the store beside the most that PostgreSQL can do here.", store);
        add(group, "engine", "Measures the engine beside the most that PostgreSQL can do here.", EngineBenchmark::main);
        add(
                group,
                "http",
                "Measures the server under load from another process, beside the most that PostgreSQL can do here.",
                HttpBenchmark::main);
        add(
                group,
                "isolation",
                "Measures what a process of its own costs a run, beside a thread and a bare process.",
                IsolationBenchmark::main);
        add(
                group,
                "rpc",
                "Measures the RPC services with clients in another process, beside empty calls of the same server.",
                RpcBenchmark::main);
        add(
                group,
                "schedules",
                "Measures how punctual schedules are, and what it costs to look after many.",
                SchedulesBenchmark::main);
        return group;
    }

    private static void add(CommandLine group, String name, String description, Benchmark.Program program) {
        var command = new CommandLine(new Benchmark(program));
        command.getCommandSpec()
                .name(name)
                .usageMessage()
                .description(description)
                .customSynopsis("longhaul bench " + name + " [ARGUMENT...]");
        group.addSubcommand(name, command);
    }
}
