package dev.longhaul.cli.client;

import java.io.Console;
import java.lang.reflect.InvocationTargetException;

/** Detects a terminal on systems without /proc. */
final class ConsoleCheck {
    private ConsoleCheck() {}

    @SuppressWarnings("SystemConsoleNull") // null without a terminal in Java 17 to 21; newer versions are checked below
    static boolean isTerminal() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            // Java 22 and newer return a console even without a terminal, and add isTerminal().
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (NoSuchMethodException e) {
            return true;
        } catch (IllegalAccessException | InvocationTargetException e) {
            return false;
        }
    }
}
