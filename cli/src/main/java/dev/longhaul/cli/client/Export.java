package dev.longhaul.cli.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.postgres.DataExport;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes all that a database keeps to a file. */
@Command(
        name = "export",
        description = {
            "Writes jobs, queues, definitions, key hashes and the audit trail of a database as JSON lines.",
            "The database may be in use. Params and results are in the file as they are: keep it like the database itself."
        },
        mixinStandardHelpOptions = true)
final class Export implements Callable<Integer> {
    private final Screen screen;

    @Mixin
    private DatabaseOptions database = new DatabaseOptions();

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "Instead of standard output; replaced only once the export is whole, readable only by you.")
    private @Nullable Path out;

    Export(Screen screen) {
        this.screen = screen;
    }

    @Override
    public Integer call() throws IOException {
        try (OpenDatabase open = database.open(false)) {
            var export = new DataExport(open.dataSource());
            long rows = out == null ? export.writeTo(screen.out()) : toFile(export, out.toAbsolutePath());
            if (screen.out().checkError()) {
                throw new LonghaulException(ErrorCode.INTERNAL, "standard output took only a part of the export");
            }
            screen.err().println("exported " + rows + " rows");
        }
        return ExitCode.OK;
    }

    private static long toFile(DataExport export, Path file) throws IOException {
        Path unfinished = Files.createTempFile(
                file.getParent(),
                "export",
                ".unfinished",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            long rows;
            try (Writer writer = Files.newBufferedWriter(unfinished, UTF_8)) {
                rows = export.writeTo(writer);
            }
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
            return rows;
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }
}
