package dev.longhaul.cli;

import picocli.CommandLine.Command;

/** Groups the benchmarks; does nothing by itself, so that {@code longhaul bench} alone is a usage error. */
@Command(
        name = "bench",
        description = "Measures Longhaul on this machine.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {BenchEngine.class, BenchHttp.class, BenchIsolation.class, BenchRpc.class, BenchSchedules.class})
final class Bench {}
