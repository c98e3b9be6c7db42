package dev.longhaul.process.supervise;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;

/** Builds commands that start another process with this process's Java. */
public final class JavaCommand {
    private JavaCommand() {}

    public static String executable() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** Returns the jar or directory that a class was loaded from. */
    public static String locationOf(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        if (source == null) {
            throw new IllegalStateException("class " + type.getName() + " has no code source");
        }
        try {
            return plainFile(source.getLocation().toURI()).toString();
        } catch (URISyntaxException e) {
            throw notPlain(String.valueOf(source.getLocation()));
        }
    }

    /** Returns the file or directory of a URI; rejects nested jars, which another JVM cannot load. */
    static Path plainFile(URI place) {
        try {
            Path path = Path.of(place);
            if (path.getFileSystem() == FileSystems.getDefault() && Files.exists(path)) {
                return path;
            }
        } catch (IllegalArgumentException | FileSystemNotFoundException e) {
            // The URI does not name a file.
        }
        throw notPlain(place.toString());
    }

    private static LonghaulException notPlain(String place) {
        return new LonghaulException(
                ErrorCode.FAILED_PRECONDITION,
                "isolation: process, with classes in " + place
                        + " (expected: plain jar files, which a child JVM can load; extract a Spring Boot executable"
                        + " jar with java -Djarmode=tools -jar app.jar extract and start the extracted jar, or use"
                        + " isolation thread)");
    }
}
