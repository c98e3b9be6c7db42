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

/** How to start another Java process with the same Java. */
public final class JavaCommand {
    private JavaCommand() {}

    public static String executable() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** The jar or directory that a class of ours came from. */
    public static String locationOf(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        if (source == null) {
            throw new IllegalStateException("nobody knows where " + type.getName() + " came from");
        }
        try {
            return plainFile(source.getLocation().toURI()).toString();
        } catch (URISyntaxException e) {
            throw notPlain(String.valueOf(source.getLocation()));
        }
    }

    /** The file or directory at that place; refused if it is inside of another file, which no other Java could load from. */
    static Path plainFile(URI place) {
        try {
            Path path = Path.of(place);
            if (path.getFileSystem() == FileSystems.getDefault() && Files.exists(path)) {
                return path;
            }
        } catch (IllegalArgumentException | FileSystemNotFoundException e) {
            // A kind of place that is not on a disk.
        }
        throw notPlain(place.toString());
    }

    private static LonghaulException notPlain(String place) {
        return new LonghaulException(
                ErrorCode.FAILED_PRECONDITION,
                "isolation by a process: its classes are in " + place
                        + " (expected: jars that are plain files, which another JVM can load; extract an executable jar of Spring"
                        + " Boot with java -Djarmode=tools -jar app.jar extract and start the extracted one, or use isolation by"
                        + " threads)");
    }
}
