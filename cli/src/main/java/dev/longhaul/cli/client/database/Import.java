package dev.longhaul.cli.client.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.cli.client.Screen;
import dev.longhaul.cli.client.ServerOptions;
import dev.longhaul.postgres.export.DataImport;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Adds to a database what an export wrote. */
@Command(
        name = "import",
        description = {
            "Adds to a database what export wrote; what is there already stays as it is, so it can be repeated.",
            "A job that was running is tried again once its lease has lapsed: stop its old workers first."
        },
        mixinStandardHelpOptions = true)
public final class Import implements Callable<Integer> {
    private final Screen screen;

    @Mixin
    private DatabaseOptions database = new DatabaseOptions();

    @Parameters(paramLabel = "FILE", description = "The export; - for standard input.")
    private String file = "";

    @Option(
            names = "--hold-masked",
            description =
                    "Of an export without secrets, add unfinished jobs that need theirs held, schedules paused, webhooks disabled.")
    private boolean holdMasked;

    public Import(Screen screen) {
        this.screen = screen;
    }

    @Override
    public Integer call() throws IOException {
        if (!file.equals("-") && !Files.isReadable(Path.of(file))) {
            throw ServerOptions.bad("file", file, "an export that can be read, or -");
        }
        try (BufferedReader in = file.equals("-")
                        ? new BufferedReader(new InputStreamReader(System.in, UTF_8))
                        : Files.newBufferedReader(Path.of(file), UTF_8);
                OpenDatabase open = database.open(true)) {
            DataImport.Answer answer = new DataImport(open.dataSource()).readFrom(in, holdMasked);
            screen.out().println("read " + answer.read() + " rows, " + answer.added() + " of them new");
        }
        return ExitCode.OK;
    }
}
