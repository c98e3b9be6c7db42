package dev.longhaul.process.supervise;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The location of classes on disk: a plain jar or directory, or an entry of an executable jar.
 *
 * @param file the jar or directory
 * @param entry the nested jar, or the nested directory with a slash at its end; empty for the whole file
 */
public record ClassPlace(Path file, String entry) {
    /**
     * Matches URLs of Spring Boot's loaders: {@code jar:nested:/app.jar/!BOOT-INF/lib/a.jar!/}, and before 3.2
     * {@code jar:file:/app.jar!/BOOT-INF/lib/a.jar!/}. A directory ends with a slash: {@code …BOOT-INF/classes/!/}.
     */
    private static final Pattern IN_JAR = Pattern.compile("jar:(?:nested:(.+?)/!|file:(.+?)!/)(.*?)(?:!/)?");

    /** Returns the place of a URL of a class path; rejects URLs that name no file. */
    public static ClassPlace of(URL url) {
        String text = url.toString();
        Matcher inJar = IN_JAR.matcher(text);
        try {
            if (inJar.matches()) {
                String path = inJar.group(1) == null ? inJar.group(2) : inJar.group(1);
                return new ClassPlace(Path.of(URI.create("file:" + path)), inJar.group(3));
            }
            Path path = Path.of(url.toURI());
            if (path.getFileSystem() == FileSystems.getDefault()) {
                return new ClassPlace(path, "");
            }
        } catch (IllegalArgumentException | FileSystemNotFoundException | URISyntaxException e) {
            throw unusable(text, "a jar or a directory");
        }
        throw unusable(text, "a jar or a directory");
    }

    /** Returns the place that a class was loaded from. */
    public static ClassPlace of(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        if (source == null || source.getLocation() == null) {
            throw unusable("no known place, " + type.getName(), "a jar or a directory");
        }
        return of(source.getLocation());
    }

    /** Creates the exception for classes that another JVM cannot load. */
    static LonghaulException unusable(String place, String expected) {
        return new LonghaulException(
                ErrorCode.FAILED_PRECONDITION,
                "isolation: process, with classes in " + place + " (expected: " + expected
                        + ", which a child JVM can load; or isolation thread)");
    }
}
