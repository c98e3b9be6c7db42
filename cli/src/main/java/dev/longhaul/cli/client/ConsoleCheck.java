package dev.longhaul.cli.client;

import java.io.Console;
import java.lang.reflect.InvocationTargetException;

/** Detects whether output goes to a terminal, on systems without /proc. */
final class ConsoleCheck {
    private ConsoleCheck() {}

    @SuppressWarnings("SystemConsoleNull") // null without a terminal in Java 17 to 21; newer versions: see below
    static boolean isTerminal() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            // In Java 22 and newer, console() is not null even without a terminal; isTerminal() exists there.
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (NoSuchMethodException e) {
            return true;
        } catch (IllegalAccessException | InvocationTargetException e) {
            return false;
        }
    }
}
