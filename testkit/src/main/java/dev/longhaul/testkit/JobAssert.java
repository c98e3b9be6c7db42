package dev.longhaul.testkit;

import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Step;
import dev.longhaul.json.Codec;
import dev.longhaul.json.Json;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.assertj.core.api.AbstractAssert;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;

/** Assertions about one job, in the state it had when the assertion was created. */
public final class JobAssert extends AbstractAssert<JobAssert, Job> {
    private final Longhaul longhaul;

    JobAssert(Longhaul longhaul, Job job) {
        super(job, JobAssert.class);
        this.longhaul = longhaul;
        as("%s %s", job.spec().definition(), job.id());
    }

    // Status

    public JobAssert hasStatus(JobStatus expected) {
        Failure failure = actual.failure();
        String why = failure == null ? "" : "; failure: " + failure.code() + ": " + failure.message();
        if (actual.status() != expected) {
            failWithMessage("is %s (expected: %s)%s", actual.status().wireName(), expected.wireName(), why);
        }
        return this;
    }

    public JobAssert isQueued() {
        return hasStatus(JobStatus.QUEUED);
    }

    /** Asserts that the job waits for its next attempt. */
    public JobAssert isRetrying() {
        return hasStatus(JobStatus.RETRYING);
    }

    /** Asserts that the job is scheduled to run after {@code delay}. */
    public JobAssert isScheduledIn(Duration delay) {
        hasStatus(JobStatus.SCHEDULED);
        Duration left = Duration.between(longhaul.store().now(), actual.times().runAt());
        return same("time until due", left, delay);
    }

    public JobAssert isCancelled() {
        return hasStatus(JobStatus.CANCELLED);
    }

    public JobAssert hasSucceeded() {
        return hasStatus(JobStatus.SUCCEEDED);
    }

    /** Asserts that the job has succeeded with an equal result. */
    public JobAssert hasResult(@Nullable Object expected) {
        hasSucceeded();
        return same("result", read(JobDefinition::result, Objects.requireNonNull(actual.result())), expected);
    }

    public JobAssert hasFailed() {
        return hasStatus(JobStatus.FAILED);
    }

    /** Asserts that the job has failed with this code, such as {@link Failure#TIMEOUT}. */
    public JobAssert hasFailedWith(String code) {
        hasFailed();
        return same("failure code", failure().code(), code);
    }

    /** Asserts that the failure of the job, or of its last failed attempt, has a message that contains {@code text}. */
    public JobAssert hasFailureMessageContaining(String text) {
        Assertions.assertThat(failure().message())
                .as(describe("failure message"))
                .contains(text);
        return this;
    }

    public JobAssert hasAttempts(int expected) {
        return same("attempts", actual.tally().attempts(), expected);
    }

    // Options

    public JobAssert hasParams(@Nullable Object expected) {
        return same("params", read(JobDefinition::params, actual.spec().params()), expected);
    }

    public JobAssert hasQueue(String expected) {
        return same("queue", actual.spec().queue(), expected);
    }

    public JobAssert hasPriority(int expected) {
        return same("priority", actual.spec().priority(), expected);
    }

    public JobAssert hasLabel(String key, String value) {
        return same("label " + key, actual.spec().labels().get(key), value);
    }

    // Reports of the handler

    public JobAssert hasProgress(int percent, @Nullable String message) {
        same("progress", actual.progress().percent(), percent);
        return same("progress message", actual.progress().message(), message);
    }

    /** Asserts that exactly these steps have finished, in this order. */
    public JobAssert hasSteps(String... names) {
        List<String> done = longhaul.store().work().steps(actual.id()).stream()
                .map(Step::name)
                .toList();
        return same("steps", done, List.of(names));
    }

    /** Asserts that a line of the job's log contains {@code text}. */
    public JobAssert hasLogged(String text) {
        List<String> lines = texts(EventType.LOG, "message");
        Assertions.assertThat(lines).as(describe("log")).anyMatch(line -> line.contains(text), "contains " + text);
        return this;
    }

    /** Asserts that the job emitted a custom event of this name. */
    public JobAssert hasEmitted(String name) {
        Assertions.assertThat(texts(EventType.CUSTOM, "name"))
                .as(describe("events"))
                .contains(name);
        return this;
    }

    private JobAssert same(String what, @Nullable Object is, @Nullable Object expected) {
        Assertions.assertThat(is).as(describe(what)).isEqualTo(expected);
        return this;
    }

    private String describe(String what) {
        return what + " of " + descriptionText();
    }

    private Failure failure() {
        Failure failure = actual.failure();
        if (failure == null) {
            throw failure("has no failure; its status is %s", actual.status().wireName());
        }
        return failure;
    }

    private @Nullable Object read(Function<JobDefinition<?, ?>, Codec<?>> codec, String json) {
        return longhaul.registry()
                .find(actual.spec().definition())
                .map(codec)
                .orElseThrow(() -> failure("has a definition that is not registered"))
                .read(json);
    }

    private List<String> texts(EventType type, String member) {
        return longhaul.store().jobs().events(EventQuery.of(actual.id()).types(type)).stream()
                .map(JobEvent::payload)
                .map(payload -> payload == null ? Map.of() : Json.read(payload, Map.class))
                .map(payload -> String.valueOf(Objects.requireNonNull(payload).get(member)))
                .toList();
    }
}
