package dev.longhaul.kubernetes.simulated;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The log of a container: lines with timestamps that rise, as a container runtime writes them. */
final class ContainerLog {
    private record Line(Instant at, String text) {}

    private final List<Line> lines = new ArrayList<>();
    private boolean ended;

    synchronized void add(String text) {
        Instant now = Instant.now();
        Instant last = lines.isEmpty() ? Instant.EPOCH : lines.get(lines.size() - 1).at;
        lines.add(new Line(now.isAfter(last) ? now : last.plusNanos(1), text));
        notifyAll();
    }

    synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** Writes the log from that second on, until the container has ended, or the connection transfers nothing more. */
    @SuppressWarnings("WaitNotInLoop") // The outer loop is the loop.
    void write(OutputStream out, String since, BooleanSupplier open, BooleanSupplier flowing)
            throws IOException, InterruptedException {
        Instant from = since == null ? Instant.EPOCH : Instant.parse(since);
        int next = 0;
        while (open.getAsBoolean() && flowing.getAsBoolean()) {
            List<Line> more;
            boolean last;
            synchronized (this) {
                if (next == lines.size() && !ended) {
                    wait(100);
                }
                more = List.copyOf(lines.subList(next, lines.size()));
                next = lines.size();
                last = ended;
            }
            for (Line line : more) {
                if (!line.at.isBefore(from)) {
                    out.write((line.at + " " + line.text + "\n").getBytes(StandardCharsets.UTF_8));
                }
            }
            out.flush();
            if (last) {
                return;
            }
        }
    }
}
