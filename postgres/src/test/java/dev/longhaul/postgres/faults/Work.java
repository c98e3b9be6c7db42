package dev.longhaul.postgres.faults;

import dev.longhaul.job.Claim;
import dev.longhaul.job.Failure;
import dev.longhaul.job.RunAt;
import dev.longhaul.work.Transition;
import java.time.Duration;

/** The behaviour of a test job, encoded in its params: how long its runs take, and how the first of them ends. */
record Work(int millis, Outcome first) {
    static final Duration DELAY = Duration.ofMillis(150);

    /** How a run ends. */
    enum Outcome {
        SUCCEED,
        RETRY,
        SNOOZE,
        GIVE_BACK,
        FAIL;

        boolean terminal() {
            return this == SUCCEED || this == FAIL;
        }
    }

    String params() {
        return "\"" + millis + " " + first + "\"";
    }

    static Work of(String params) {
        String[] parts = params.replace("\"", "").split(" ");
        return new Work(Integer.parseInt(parts[0]), Outcome.valueOf(parts[1]));
    }

    /** How that run ends: the first as planned, every later one with success. */
    Outcome outcome(int run) {
        return run == 1 ? first : Outcome.SUCCEED;
    }

    static long delayMillis(Outcome outcome) {
        return outcome == Outcome.RETRY || outcome == Outcome.SNOOZE ? DELAY.toMillis() : 0;
    }

    static Transition transition(Outcome outcome, Claim claim, String result) {
        return switch (outcome) {
            case SUCCEED -> Transition.succeed(claim, result);
            case RETRY -> Transition.retry(claim, RunAt.after(DELAY), Failure.of(Failure.EXCEPTION, "as planned"));
            case SNOOZE -> Transition.snooze(claim, RunAt.after(DELAY));
            case GIVE_BACK -> Transition.giveBack(claim);
            case FAIL -> Transition.fail(claim, Failure.of(Failure.GIVEN_UP, "as planned"));
        };
    }
}
