package dev.longhaul.bench.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.bench.measure.Bench;
import dev.longhaul.bench.measure.Engine;
import dev.longhaul.bench.measure.Menu;
import dev.longhaul.bench.measure.Noop;
import dev.longhaul.bench.measure.Options;
import dev.longhaul.bench.measure.OtherJvm;
import dev.longhaul.bench.measure.Starts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** A worker in a separate JVM, which reports the start times of its jobs at the end. */
final class OtherProcess implements AutoCloseable {
    private static final String READY = "ready";
    private static final String END = "end";
    private static final long PATIENCE_SECONDS = 30;

    private final Process process;
    private final PrintStream to;
    private final BufferedReader from;
    private final int jobs;

    /** Starts the process, and waits until the worker is running. */
    OtherProcess(String url, int jobs) throws IOException {
        this.jobs = jobs;
        this.process = OtherJvm.start(OtherProcess.class);
        this.to = new PrintStream(process.getOutputStream(), true, UTF_8);
        this.from = process.inputReader(UTF_8);
        // Sent to standard input, because it contains a password and all users of the machine can read arguments.
        to.println(url);
        to.println(jobs);
        String answer = from.readLine();
        if (!READY.equals(answer)) {
            close();
            throw new IllegalStateException("the other process printed " + answer + " (expected: " + READY + ")");
        }
    }

    /** Returns when each job was started, by the machine's clock; 0 for jobs that were not started. */
    long[] startTimes() throws IOException {
        to.println(END);
        var times = new long[jobs];
        for (int n = 0; n < jobs; n++) {
            times[n] = Long.parseLong(Objects.requireNonNull(from.readLine(), "the other process exited early"));
        }
        return times;
    }

    @Override
    public void close() {
        to.close();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /**
     * The main method of the other process. It works until a line on standard input requests its end, or its parent
     * process has exited.
     */
    public static void main(String[] args) throws Exception {
        PrintStream answers = System.out;
        // Standard output is for responses only, so other output goes to standard error.
        System.setOut(System.err);
        try (var orders = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
            String url = Objects.requireNonNull(orders.readLine());
            int jobs = Integer.parseInt(Objects.requireNonNull(orders.readLine()));
            var starts = new Starts(jobs);
            var bench = new Bench(url, Options.parse(Menu.ENGINE), System.err);
            Engine engine = Engine.start(bench, Noop.definition(Engine::wallMicros, starts));
            try {
                answers.println(READY);
                if (END.equals(orders.readLine())) {
                    var times = new StringBuilder();
                    for (int n = 0; n < jobs; n++) {
                        times.append(starts.micros(n)).append('\n');
                    }
                    answers.print(times);
                    answers.flush();
                }
            } finally {
                engine.close();
            }
        }
    }
}
