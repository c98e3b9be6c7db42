package dev.longhaul.process;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;

/** How to start another Java process with the same Java. */
final class JavaCommand {
    private JavaCommand() {}

    static String executable() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** The jar or directory that a class of ours came from. */
    static String locationOf(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        if (source == null) {
            throw new IllegalStateException("nobody knows where " + type.getName() + " came from");
        }
        try {
            return Path.of(source.getLocation().toURI()).toString();
        } catch (URISyntaxException | RuntimeException e) {
            throw new IllegalStateException(
                    type.getName() + " came from " + source.getLocation()
                            + " (expected: a jar or a directory, for a process of its own to load it from)",
                    e);
        }
    }
}
