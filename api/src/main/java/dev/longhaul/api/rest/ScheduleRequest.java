package dev.longhaul.api.rest;

import dev.longhaul.NewSchedule;
import dev.longhaul.api.http.Fields;
import dev.longhaul.api.http.Problem;
import dev.longhaul.schedule.CatchUp;
import dev.longhaul.schedule.Overlap;
import dev.longhaul.schedule.Timing.Cron;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Parses a schedule from a request body. Missing fields change nothing; null removes a limit. */
final class ScheduleRequest {
    private static final int MOST_TIMES = 1000;

    private final Fields body;
    private UnaryOperator<NewSchedule> changes = UnaryOperator.identity();

    private ScheduleRequest(Fields body) {
        this.body = body;
    }

    /** Returns a change of all fields that the body contains. */
    static UnaryOperator<NewSchedule> of(Fields body) {
        return new ScheduleRequest(body).job().times().rules().changes;
    }

    /** Returns a change of only the fields about times, for a preview. */
    static UnaryOperator<NewSchedule> timesOf(Fields body) {
        return new ScheduleRequest(body).times().changes;
    }

    private ScheduleRequest job() {
        String definition = body.text("definitionKey");
        Integer version = body.integer("definitionVersion");
        change(definition != null || version != null, schedule -> {
            String key = definition != null ? definition : schedule.definitionKey();
            return key == null ? schedule : schedule.definition(key, version);
        });
        String params = body.json("params");
        change(params != null, schedule -> schedule.params(params));
        String name = body.text("name");
        change(body.has("name"), schedule -> schedule.name(name));
        String queue = body.text("queue");
        change(body.has("queue"), schedule -> schedule.queue(queue));
        Integer priority = body.integer("priority");
        change(body.has("priority"), schedule -> schedule.priority(priority));
        Integer maxAttempts = body.integer("maxAttempts");
        change(body.has("maxAttempts"), schedule -> schedule.maxAttempts(maxAttempts));
        Map<String, String> labels = body.texts("labels");
        change(body.has("labels"), schedule -> schedule.labels(labels == null ? Map.of() : labels));
        return this;
    }

    private ScheduleRequest times() {
        String cron = body.text("cron");
        Duration every = body.seconds("everySeconds");
        List<Instant> at = body.times("at", MOST_TIMES);
        change(every != null || at != null, NewSchedule::untimed);
        change(cron != null, schedule -> schedule.every(null).at(null).cron(cron));
        change(every != null, schedule -> schedule.every(every));
        change(at != null, schedule -> schedule.at(at));
        String zone = body.text("timeZone");
        change(body.has("timeZone"), schedule -> schedule.timeZone(zone));
        Cron.Dst dst = choice("dst", Cron.Dst.values());
        change(body.has("dst"), schedule -> schedule.dst(dst));
        Instant start = body.time("startAt");
        change(body.has("startAt"), schedule -> schedule.startAt(start));
        Instant end = body.time("endAt");
        change(body.has("endAt"), schedule -> schedule.endAt(end));
        Integer maxRuns = body.integer("maxRuns");
        change(body.has("maxRuns"), schedule -> schedule.maxRuns(maxRuns));
        Duration jitter = body.seconds("jitterSeconds");
        change(body.has("jitterSeconds"), schedule -> schedule.jitter(jitter == null ? Duration.ZERO : jitter));
        return this;
    }

    private ScheduleRequest rules() {
        Fields catchUp = body.object("catchUp");
        if (catchUp != null) {
            CatchUp.Policy policy = choice(catchUp, "policy", CatchUp.Policy.values());
            Integer max = catchUp.integer("max");
            Duration window = catchUp.seconds("windowSeconds");
            change(true, schedule -> schedule.catchUp(policy, max, window));
        }
        Overlap overlap = choice("overlap", Overlap.values());
        change(body.has("overlap"), schedule -> schedule.overlap(overlap == null ? Overlap.ALLOW : overlap));
        Boolean enabled = body.choice("enabled");
        change(enabled != null, schedule -> schedule.enabled(enabled));
        return this;
    }

    private void change(boolean present, UnaryOperator<NewSchedule> change) {
        if (present) {
            UnaryOperator<NewSchedule> before = changes;
            changes = schedule -> change.apply(before.apply(schedule));
        }
    }

    private <E extends Enum<E>> @Nullable E choice(String name, E[] choices) {
        return choice(body, name, choices);
    }

    private static <E extends Enum<E>> @Nullable E choice(Fields fields, String name, E[] choices) {
        String text = fields.text(name);
        if (text == null) {
            return null;
        }
        for (E choice : choices) {
            if (ScheduleJson.wire(choice).equals(text)) {
                return choice;
            }
        }
        fields.problem(
                name,
                Problem.brief(text),
                "one of "
                        + String.join(
                                ", ",
                                Arrays.stream(choices).map(ScheduleJson::wire).toList()));
        return null;
    }
}
