package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say when a schedule fires. */
final class ScheduleTimes {
    private static final String NONE = "none";

    @Option(names = "--cron", paramLabel = "EXPRESSION", description = "Such as '0 3 * * MON-FRI' or @daily.")
    private @Nullable String cron;

    @Option(names = "--zone", paramLabel = "ZONE", description = "The time zone of --cron, such as Europe/Berlin; UTC.")
    private @Nullable String zone;

    @Option(names = "--dst", paramLabel = "RULE", description = "Times that the clocks leave out: run (usual) or skip.")
    private @Nullable String dst;

    @Option(
            names = "--every",
            paramLabel = "SPAN",
            converter = Span.class,
            description = "Every 90s, 5m, 2h, 7d, counted from its start.")
    private @Nullable Duration every;

    @Option(names = "--at", paramLabel = "TIME", description = "At that time; may be given several times.")
    private @Nullable List<String> at;

    @Option(names = "--start", paramLabel = "TIME", description = "No fire before; none takes the limit away.")
    private @Nullable String start;

    @Option(names = "--end", paramLabel = "TIME", description = "No fire after; none takes the limit away.")
    private @Nullable String end;

    @Option(names = "--max-runs", paramLabel = "N", description = "No fire after that many; none takes the limit away.")
    private @Nullable String maxRuns;

    @Option(
            names = "--jitter",
            paramLabel = "SPAN",
            converter = Span.class,
            description = "Each job runs up to that much later.")
    private @Nullable Duration jitter;

    /** Whether the times themselves were given. */
    boolean given() {
        return cron != null || every != null || at != null;
    }

    /** Whether anything at all was. */
    boolean anyGiven() {
        var all = Arrays.asList(cron, zone, dst, every, at, start, end, maxRuns, jitter);
        return all.stream().anyMatch(Objects::nonNull);
    }

    void putInto(ObjectNode body) {
        Body.text(body, "cron", cron);
        Body.text(body, "timeZone", zone);
        Body.text(body, "dst", dst);
        Body.number(body, "everySeconds", Body.seconds(every));
        if (at != null) {
            ArrayNode times = body.putArray("at");
            at.forEach(times::add);
        }
        limit(body, "startAt", start);
        limit(body, "endAt", end);
        if (maxRuns != null && !maxRuns.equals(NONE)) {
            Body.number(body, "maxRuns", count(maxRuns));
        } else {
            limit(body, "maxRuns", maxRuns);
        }
        Body.number(body, "jitterSeconds", Body.seconds(jitter));
    }

    private static void limit(ObjectNode body, String name, @Nullable String value) {
        if (NONE.equals(value)) {
            body.putNull(name);
        } else {
            Body.text(body, name, value);
        }
    }

    private static Integer count(String text) {
        try {
            return Integer.valueOf(text);
        } catch (NumberFormatException e) {
            throw ServerOptions.bad("--max-runs", text, "a number, or none");
        }
    }
}
