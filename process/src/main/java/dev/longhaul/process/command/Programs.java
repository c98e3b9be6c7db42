package dev.longhaul.process.command;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Finds the file of a program in the same way as execvp. */
final class Programs {
    private Programs() {}

    static boolean exists(String program, @Nullable String dir, String searchPath) {
        try {
            if (program.contains("/")) {
                Path path = dir == null ? Path.of(program) : Path.of(dir).resolve(program);
                // A relative path would refer to the run's directory, which is empty at the start.
                return path.isAbsolute() && runnable(path);
            }
            for (String directory : searchPath.split(":", -1)) {
                if (!directory.isEmpty() && runnable(Path.of(directory, program))) {
                    return true;
                }
            }
        } catch (InvalidPathException e) {
            return false;
        }
        return false;
    }

    private static boolean runnable(Path path) {
        return Files.isRegularFile(path) && Files.isExecutable(path);
    }
}
