package dev.longhaul.cli.client;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;

/** Runs a command repeatedly until the process is interrupted. On a terminal, each output replaces the previous one. */
final class Refresh {
    static final String NAME = "--watch";

    static final Argument<Duration> OPTION = Argument.span(
                    "-w " + NAME, "Refresh every 2 s, or every SPAN, until Ctrl-C.")
            .orElse("2s");

    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final String CLEAR = "\u001b[2J";
    private static final String TOP = "\u001b[H";
    private static final String CLEAR_LINE = "\u001b[K";
    private static final String CLEAR_BELOW = "\u001b[J";

    private final Screen screen;
    private final Duration interval;

    /** Writes the output of one run of the command to a buffer. */
    interface Frame {
        void run(Screen buffer) throws Exception;
    }

    Refresh(Screen screen, Duration interval) {
        this.screen = screen;
        this.interval = interval.compareTo(SHORTEST) < 0 ? SHORTEST : interval;
    }

    int run(Frame frame) throws Exception {
        screen.out().print(screen.live() ? CLEAR : "");
        try {
            String reported = null;
            while (!Thread.currentThread().isInterrupted()) {
                String failure = refresh(frame);
                if (failure != null && !failure.equals(reported)) {
                    screen.error(failure + "; retrying");
                }
                reported = failure;
                Thread.sleep(interval.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return ExitCode.OK;
    }

    /** Prints the next output. Returns null, or the message of a temporary failure; the previous output then remains. */
    private @Nullable String refresh(Frame frame) throws Exception {
        var text = new StringWriter();
        var buffer = new PrintWriter(text);
        try {
            frame.run(screen.to(buffer));
        } catch (LonghaulException e) {
            if (e.code() != ErrorCode.UNAVAILABLE && e.code() != ErrorCode.RESOURCE_EXHAUSTED) {
                throw e;
            }
            return e.getMessage();
        }
        buffer.flush();
        print(text.toString());
        return null;
    }

    private void print(String text) {
        PrintWriter out = screen.out();
        if (screen.live()) {
            List<String> lines = text.lines()
                    .limit(screen.height() > 1 ? screen.height() - 1 : Long.MAX_VALUE)
                    .toList();
            out.print(TOP);
            lines.forEach(line -> out.println(line + CLEAR_LINE));
            out.print(CLEAR_BELOW);
        } else {
            out.println(text);
        }
        out.flush();
    }
}
