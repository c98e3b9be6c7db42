package dev.longhaul.process.supervise;

import java.nio.file.Path;

/** The {@code java} program of this process, which also starts child JVMs and the sitter. */
public final class JavaCommand {
    private JavaCommand() {}

    public static String executable() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }
}
