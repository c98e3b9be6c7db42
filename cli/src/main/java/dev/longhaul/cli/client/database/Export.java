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

/** Writes all that a database keeps to a file. */
@Command(
        name = "export",
        description = {
            "Writes jobs, queues, definitions, key hashes and the audit trail of a database as JSON lines.",
            "The database may be in use. Secrets are written as ***, unless --with-secrets is given."
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
            description = "Instead of standard output; replaced only once the export is whole, readable only by you.")
    private @Nullable Path out;

    @Option(
            names = "--with-secrets",
            description = "Write secrets as they are, for a backup that can be restored completely.")
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
            screen.err().println("WARN: the export holds secrets in clear: protect it like the database");
        }
        try (OpenDatabase open = database.open(false)) {
            var export = new DataExport(open.dataSource());
            long rows = out == null ? export.writeTo(screen.out(), withSecrets) : toFile(export, out.toAbsolutePath());
            if (screen.out().checkError()) {
                throw new LonghaulException(ErrorCode.INTERNAL, "standard output took only a part of the export");
            }
            screen.err().println("exported " + rows + " rows");
        }
        return ExitCode.OK;
    }

    /** Fails when standard output is a file that other users can read. */
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
