package dev.longhaul.cli.client;

import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The output of a command.
 *
 * @param width columns of the terminal; 0 means that the output is not a terminal, and nothing is truncated or redrawn
 */
public record Screen(PrintWriter out, PrintWriter err, int width) {
    private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;:]*m");
    private static final String RESET = "\u001b[0m";
    private static final int DEFAULT_WIDTH = 100;
    private static final int NARROWEST = 40;

    /** Output to a file or a pipe. */
    public static Screen plain(PrintWriter out, PrintWriter err) {
        return new Screen(out, err, 0);
    }

    /** The output of this process, which may be a terminal. */
    public static Screen ofProcess(PrintWriter out, PrintWriter err) {
        return new Screen(out, err, onTerminal() ? Math.max(NARROWEST, terminalWidth()) : 0);
    }

    public boolean live() {
        return width > 0;
    }

    /**
     * A line of a job's text that cannot control the terminal: colours (SGR sequences) are kept and reset at the end of the
     * line, every other control character is replaced.
     */
    public String safe(String text) {
        if (!live()) {
            return text;
        }
        var safe = new StringBuilder(text.length());
        Matcher colour = COLOUR.matcher(text);
        int from = 0;
        while (colour.find()) {
            safe.append(withoutControls(text.substring(from, colour.start()))).append(colour.group());
            from = colour.end();
        }
        safe.append(withoutControls(text.substring(from)));
        return from == 0 ? safe.toString() : safe.append(RESET).toString();
    }

    public static String withoutControls(String text) {
        var safe = new StringBuilder(text.length());
        text.codePoints().forEach(c -> safe.appendCodePoint(Character.isISOControl(c) && c != '\t' ? '?' : c));
        return safe.toString();
    }

    @SuppressWarnings("SystemConsoleNull") // null without a terminal in Java 17 to 21; newer versions are checked below
    private static boolean onTerminal() {
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

    private static int terminalWidth() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            int columns = Integer.parseInt(size.substring(size.indexOf(' ') + 1));
            return columns > 0 ? columns : DEFAULT_WIDTH;
        } catch (IOException | NumberFormatException e) {
            return DEFAULT_WIDTH;
        }
    }
}
