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

/** Adds the rows of an export to a database. */
@Command(
        name = "import",
        description = {
            "Adds the rows of an export to a database. Existing rows are not changed, so an import can be repeated.",
            "A job that was running is retried when its lease expires; stop its old workers first."
        },
        mixinStandardHelpOptions = true)
public final class Import implements Callable<Integer> {
    private final Screen screen;

    @Mixin
    private DatabaseOptions database = new DatabaseOptions();

    @Parameters(paramLabel = "FILE", description = "The export file; - for standard input.")
    private String file = "";

    @Option(
            names = "--hold-masked",
            description = "Import rows with masked secrets as held jobs, paused schedules and disabled webhooks.")
    private boolean holdMasked;

    public Import(Screen screen) {
        this.screen = screen;
    }

    @Override
    public Integer call() throws IOException {
        if (!file.equals("-") && !Files.isReadable(Path.of(file))) {
            throw ServerOptions.bad("file", file, "a readable export file, or -");
        }
        try (BufferedReader in = file.equals("-")
                        ? new BufferedReader(new InputStreamReader(System.in, UTF_8))
                        : Files.newBufferedReader(Path.of(file), UTF_8);
                OpenDatabase open = database.open(true)) {
            DataImport.Answer counts = new DataImport(open.dataSource()).readFrom(in, holdMasked);
            screen.out()
                    .println("read " + counts.read() + " rows: " + counts.added() + " added, "
                            + (counts.read() - counts.added()) + " unchanged");
        }
        return ExitCode.OK;
    }
}
