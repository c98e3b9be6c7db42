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
 * Where a command writes.
 *
 * @param width columns of the terminal; 0 means that there is none, and nothing is cut or redrawn
 */
public record Screen(PrintWriter out, PrintWriter err, int width) {
    private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;:]*m");
    private static final String RESET = "\u001b[0m";
    private static final int USUAL_WIDTH = 100;
    private static final int NARROWEST = 40;

    /** Output that goes into a file or a pipe. */
    public static Screen plain(PrintWriter out, PrintWriter err) {
        return new Screen(out, err, 0);
    }

    /** This process's terminal, if it writes to one. */
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

    @SuppressWarnings("SystemConsoleNull") // the null of Java 17 to 21; what newer ones answer is looked at below
    private static boolean onTerminal() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            // From Java 22 on there is a console even where there is no terminal, and a method that tells.
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
            return columns > 0 ? columns : USUAL_WIDTH;
        } catch (IOException | NumberFormatException e) {
            return USUAL_WIDTH;
        }
    }
}
