package dev.longhaul.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;

/** The database's files and its password. */
record DataDirectory(Path home) {
    static final String USER = "longhaul";

    Path data() {
        return home.resolve("data");
    }

    private Path passwordFile() {
        return home.resolve("password");
    }

    /** Creates the database if there is none; otherwise checks that these binaries can read it. */
    void prepare(Binaries binaries) throws IOException {
        var versionFile = data().resolve("PG_VERSION");
        if (Files.exists(versionFile)) {
            checkVersion(Files.readString(versionFile).strip(), binaries.majorVersion());
        } else {
            initialise(binaries);
        }
    }

    String password() throws IOException {
        if (!Files.exists(passwordFile())) {
            throw new EmbeddedPostgresException(passwordFile()
                    + " is missing: restore the file that was created with the data, or start with an empty directory");
        }
        return Files.readString(passwordFile()).strip();
    }

    private void checkVersion(String found, int expected) {
        if (!found.equals(Integer.toString(expected))) {
            throw new EmbeddedPostgresException(
                    "%s was created by PostgreSQL %s, but this is PostgreSQL %d: use version %s, or export there and import here"
                            .formatted(data(), found, expected, found));
        }
    }

    /**
     * Creates the database in a temporary directory and then renames that directory, so that a killed start leaves no
     * incomplete data directory.
     */
    private void initialise(Binaries binaries) throws IOException {
        if (Files.exists(data())) {
            throw new EmbeddedPostgresException(
                    data() + " is not a PostgreSQL data directory: move it, or choose another directory");
        }
        Directories.deleteLeftovers(home, "unfinished-*", Duration.ZERO);
        writePassword();
        var unfinished = Files.createTempDirectory(home, "unfinished-");
        initdb(binaries, unfinished);
        Files.move(unfinished, data(), StandardCopyOption.ATOMIC_MOVE);
        Directories.sync(home);
    }

    private void writePassword() throws IOException {
        var random = new byte[24];
        new SecureRandom().nextBytes(random);
        Directories.createPrivateFile(passwordFile());
        Files.writeString(passwordFile(), HexFormat.of().formatHex(random) + "\n");
        Directories.sync(passwordFile());
    }

    private void initdb(Binaries binaries, Path directory) throws IOException {
        var result = initdb(binaries, directory, "C.UTF-8");
        if (result.output().contains("invalid locale name")) {
            result = initdb(binaries, directory, "C");
        }
        if (result.status() != 0) {
            throw new EmbeddedPostgresException("could not create a database in " + home + " (" + result.lastLine()
                    + "): check that you own the directory and that the disk is not full");
        }
    }

    private Command.Result initdb(Binaries binaries, Path directory, String locale) throws IOException {
        return Command.run(binaries.command(
                "initdb",
                List.of(
                        "--pgdata=" + directory,
                        "--username=" + USER,
                        "--pwfile=" + passwordFile(),
                        "--auth=scram-sha-256",
                        "--encoding=UTF-8",
                        "--locale=" + locale,
                        "--data-checksums",
                        "--no-instructions")));
    }
}
