package dev.longhaul.cli.client.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.cli.client.Screen;
import dev.longhaul.cli.client.ServerOptions;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.postgres.export.DataExport;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes the contents of a database to a file. */
@Command(
        name = "export",
        description = {
            "Exports jobs, queues, definitions, key hashes and the audit trail of a database as JSON lines.",
            "The database may be in use. Secrets are masked as *** unless --with-secrets is set."
        },
        mixinStandardHelpOptions = true)
public final class Export implements Callable<Integer> {
    private static final Path STANDARD_OUTPUT = Path.of("/dev/fd/1");
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private final Screen screen;

    @Mixin
    private DatabaseOptions database = new DatabaseOptions();

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "Output file, created with mode 0600 when the export is complete. Default: standard output.")
    private @Nullable Path out;

    @Option(
            names = "--with-secrets",
            description = "Do not mask secrets, for a backup that can be restored completely.")
    private boolean withSecrets;

    public Export(Screen screen) {
        this.screen = screen;
    }

    @Override
    public Integer call() throws IOException {
        if (withSecrets) {
            if (out == null) {
                requirePrivate(STANDARD_OUTPUT);
            }
            screen.err().println("WARN: the export contains secrets in plain text; protect it like the database");
        }
        try (OpenDatabase open = database.open(false)) {
            var export = new DataExport(open.dataSource());
            long rows = out == null ? export.writeTo(screen.out(), withSecrets) : toFile(export, out.toAbsolutePath());
            if (screen.out().checkError()) {
                throw new LonghaulException(ErrorCode.INTERNAL, "export incomplete: writing to standard output failed");
            }
            screen.err().println("exported " + rows + " rows");
        }
        return ExitCode.OK;
    }

    /** Fails if standard output is a file that other users can read. */
    public static void requirePrivate(Path output) throws IOException {
        if (Files.isRegularFile(output)) {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(output);
            if (!OWNER_ONLY.containsAll(permissions)) {
                throw ServerOptions.bad(
                        "with-secrets",
                        "standard output is a file with mode " + PosixFilePermissions.toString(permissions),
                        "--out FILE, or a file with mode 0600");
            }
        }
    }

    private long toFile(DataExport export, Path file) throws IOException {
        Path unfinished = Files.createTempFile(
                file.getParent(), "export", ".unfinished", PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        try {
            long rows;
            try (Writer writer = Files.newBufferedWriter(unfinished, UTF_8)) {
                rows = export.writeTo(writer, withSecrets);
            }
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
            return rows;
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }
}
