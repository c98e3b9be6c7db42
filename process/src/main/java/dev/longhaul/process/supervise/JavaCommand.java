package dev.longhaul.process.supervise;

import java.nio.file.Path;

/** The Java of this process, which also runs other processes. */
public final class JavaCommand {
    private JavaCommand() {}

    public static String executable() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }
}
