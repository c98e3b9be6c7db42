package dev.longhaul.bench;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The program that {@code ./longhaul bench} starts in a checkout. Without the name of a benchmark it is a usage error. */
@Command(
        name = "longhaul bench",
        description = "Measures Longhaul on this machine.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
public final class BenchMain {
    private BenchMain() {}

    public static void main(String[] args) {
        System.exit(commandLine(StoreBenchmark::main).execute(args));
    }

    static CommandLine commandLine(Benchmark.Program store) {
        var group = new CommandLine(new BenchMain()).setExpandAtFiles(false);
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
