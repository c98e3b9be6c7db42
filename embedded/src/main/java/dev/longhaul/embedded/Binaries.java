package dev.longhaul.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The directory of PostgreSQL's programs, and their major version. */
record Binaries(Path bin, int majorVersion) {
    /** Names no place in which other users of the machine could see the password. */
    static final String USE_INSTALLED =
            "use an installed PostgreSQL: set LONGHAUL_STORE, or store in the file of --config, to"
                    + " postgres://user@host:5432/name";

    private static final Pattern VERSION = Pattern.compile("\\(PostgreSQL\\) (\\d+)");

    static Binaries of(EmbeddedPostgresConfig config) throws IOException {
        var installation = config.installation();
        var bin = installation != null
                ? installation
                : BinaryArchive.forPlatform(platform()).unpack(config.home()).resolve("bin");
        return new Binaries(bin, majorVersion(bin));
    }

    List<String> command(String program, List<String> arguments) {
        var command = new ArrayList<>(List.of(bin.resolve(program).toString()));
        command.addAll(arguments);
        return Command.unprivileged(command);
    }

    /** The platform as in the file names of the archives, for example {@code linux-arm_64}. */
    static String platform() {
        var system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        var machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return (system.startsWith("mac") ? "darwin" : system.replace(' ', '_'))
                + switch (machine) {
                    case "amd64", "x86_64" -> "-x86_64";
                    case "aarch64", "arm64" -> "-arm_64";
                    default -> "-" + machine;
                };
    }

    /** Runs {@code postgres --version}, which also checks whether the program can run on this machine. */
    private static int majorVersion(Path bin) {
        var postgres = bin.resolve("postgres");
        if (!Files.isExecutable(postgres)) {
            throw new EmbeddedPostgresException(
                    "installation: " + bin + " (expected: a directory with the programs postgres and initdb)");
        }
        var result = runVersion(postgres);
        var version = VERSION.matcher(result.output());
        if (result.status() == 0 && version.find()) {
            return Integer.parseInt(version.group(1));
        }
        // A message about the program means that the namespace was created and the program itself failed.
        if (result.output().startsWith("unshare") && !result.output().contains(postgres.toString())) {
            throw rootForbidden(result.lastLine(), null);
        }
        throw doesNotRun(postgres, result.lastLine(), null);
    }

    private static Command.Result runVersion(Path postgres) {
        try {
            return Command.run(Command.unprivileged(List.of(postgres.toString(), "--version")));
        } catch (IOException e) {
            throw Command.isRoot()
                    ? rootForbidden("unshare is not installed", e)
                    : doesNotRun(postgres, e.getMessage(), e);
        }
    }

    private static EmbeddedPostgresException doesNotRun(Path postgres, @Nullable String reason, @Nullable Exception e) {
        return new EmbeddedPostgresException(
                postgres + " does not run on this machine (" + reason + "): " + USE_INSTALLED, e);
    }

    private static EmbeddedPostgresException rootForbidden(String reason, @Nullable Exception e) {
        return new EmbeddedPostgresException(
                "PostgreSQL does not run as root, and this machine does not allow user namespaces ("
                        + reason
                        + "): run as a normal user, or " + USE_INSTALLED,
                e);
    }
}
