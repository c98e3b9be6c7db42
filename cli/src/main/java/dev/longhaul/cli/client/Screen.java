package dev.longhaul.cli.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The output of a command.
 *
 * @param width columns of the terminal; 0 means that the output is not a terminal, and nothing is truncated or redrawn
 * @param height rows of the terminal; 0 if it is not a terminal
 * @param colors whether {@code out} is coloured
 * @param errorColors whether {@code err} is coloured
 * @param in the terminal from which answers are read; null if standard input is not a terminal
 */
public record Screen(
        PrintWriter out,
        PrintWriter err,
        int width,
        int height,
        boolean colors,
        boolean errorColors,
        @Nullable BufferedReader in) {
    private static final Pattern COLOR = Pattern.compile("\u001b\\[[0-9;:]*m");
    private static final String RESET = "\u001b[0m";
    private static final String PREFIX = "longhaul: ";
    private static final int[] DEFAULT_SIZE = {30, 100};
    private static final int NARROWEST = 40;

    /** When to use colours. The names are the values of the option. */
    public enum Colors {
        auto,
        always,
        never
    }

    /** Returns a screen for output to a file or a pipe. */
    public static Screen plain(PrintWriter out, PrintWriter err) {
        return new Screen(out, err, 0, 0, false, false, null);
    }

    /** Returns a screen for the output of this process, which may be a terminal. */
    public static Screen ofProcess(PrintWriter out, PrintWriter err) {
        boolean live = isTerminal(1);
        boolean colors = wantsColors(System.getenv("NO_COLOR"), System.getenv("TERM"));
        int[] size = live ? terminalSize() : new int[] {0, 0};
        return new Screen(
                out,
                err,
                live ? Math.max(NARROWEST, size[1]) : 0,
                size[0],
                live && colors,
                isTerminal(2) && colors,
                isTerminal(0) ? new BufferedReader(new InputStreamReader(System.in, UTF_8)) : null);
    }

    /**
     * Returns whether the environment allows colours. As https://no-color.org specifies, any value but an empty one
     * disables them.
     */
    static boolean wantsColors(@Nullable String noColor, @Nullable String terminal) {
        return (noColor == null || noColor.isEmpty()) && !"dumb".equals(terminal);
    }

    public Screen with(Colors when) {
        return switch (when) {
            case auto -> this;
            case always -> new Screen(out, err, width, height, true, true, in);
            case never -> new Screen(out, err, width, height, false, false, in);
        };
    }

    /**
     * Returns a screen that writes output to a buffer, formatted as on this screen. On a terminal it writes errors there
     * too, because both are redrawn together.
     */
    Screen to(PrintWriter buffer) {
        return new Screen(buffer, live() ? buffer : err, width, height, colors, live() ? colors : errorColors, null);
    }

    public boolean live() {
        return width > 0;
    }

    public String paint(Style style, String text) {
        return colors ? style.on(text) : text;
    }

    public String paintStatus(String status) {
        return paint(Style.ofStatus(status), status);
    }

    /** Prints a message of this program to the error output; the output is for results and texts of jobs. */
    public void note(String message) {
        err.println(PREFIX + message);
        err.flush();
    }

    /** Prints an error. Prints further lines of the message unchanged. */
    public void error(String message) {
        err.println((errorColors ? Style.RED.on(PREFIX.strip()) + " " : PREFIX) + message);
        err.flush();
    }

    /** Asks a yes/no question on the terminal. Returns true only if the answer is yes. */
    public boolean confirm(String question) {
        err.print(question + " [y/N] ");
        err.flush();
        try {
            String answer = in == null ? null : in.readLine();
            return answer != null && answer.strip().toLowerCase(Locale.ROOT).matches("y|yes");
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Makes a line of a job's text safe, so that it cannot control the terminal. Colours (SGR sequences) are kept and
     * reset at the end of the line, or removed if this output has no colours. Every other control character is
     * replaced.
     */
    public String safe(String text) {
        return live() ? safe(text, colors) : text;
    }

    /** Like {@link #safe(String)}, for the error output, which may be a terminal even if the output is not. */
    public String safeForErr(String text) {
        return safe(text, errorColors);
    }

    private static String safe(String text, boolean colors) {
        var safe = new StringBuilder(text.length());
        Matcher color = COLOR.matcher(text);
        int from = 0;
        while (color.find()) {
            safe.append(withoutControls(text.substring(from, color.start()))).append(colors ? color.group() : "");
            from = color.end();
        }
        safe.append(withoutControls(text.substring(from)));
        return from == 0 || !colors ? safe.toString() : safe.append(RESET).toString();
    }

    /** Like {@link #safe(String)}, but removes colours. */
    public String plain(String text) {
        return live() ? withoutControls(COLOR.matcher(text).replaceAll("")) : text;
    }

    public static String withoutControls(String text) {
        var safe = new StringBuilder(text.length());
        text.codePoints().forEach(c -> safe.appendCodePoint(Character.isISOControl(c) && c != '\t' ? '?' : c));
        return safe.toString();
    }

    /**
     * Returns whether the file descriptor is a terminal. Java can only tell whether both input and output are
     * terminals.
     */
    private static boolean isTerminal(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException e) {
            return ConsoleCheck.isTerminal();
        }
    }

    /** Returns the number of rows and columns of the terminal. */
    private static int[] terminalSize() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String[] size = new String(stty.getInputStream().readAllBytes(), UTF_8)
                    .strip()
                    .split(" ");
            int columns = size.length == 2 ? Integer.parseInt(size[1]) : 0;
            return columns > 0 ? new int[] {Integer.parseInt(size[0]), columns} : DEFAULT_SIZE;
        } catch (IOException | NumberFormatException e) {
            return DEFAULT_SIZE;
        }
    }
}
