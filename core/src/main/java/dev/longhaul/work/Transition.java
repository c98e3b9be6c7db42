package dev.longhaul.work;

import dev.longhaul.internal.text.Text;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Limits;
import dev.longhaul.job.RunAt;
import org.jspecify.annotations.Nullable;

/** How the holder of a claim ends its run. The store applies it only while the claim still holds. */
public sealed interface Transition {
    Claim claim();

    /** Why the run failed; null when it ends in another way. */
    default @Nullable Failure failure() {
        return null;
    }

    /** The handler returned {@code result}, JSON text. */
    record Succeed(Claim claim, String result) implements Transition {
        /** Why no store can keep the result; null when it can. */
        public @Nullable String whyUnstorable() {
            if (!Text.storable(result)) {
                return "result: text with a NUL or half a surrogate pair (expected: storable text)";
            }
            return whyTooLarge();
        }

        /** Why the result is too large; null when it is not. */
        public @Nullable String whyTooLarge() {
            int bytes = Text.utf8Length(result);
            return bytes <= Limits.JSON_BYTES
                    ? null
                    : "result: " + bytes + " bytes (expected: <= " + Limits.JSON_BYTES + " bytes)";
        }
    }

    /** The attempt failed; try again at {@code when} while attempts are left, else fail. */
    record Retry(Claim claim, RunAt when, Failure failure) implements Transition {}

    /** The job failed for good, whatever attempts are left. */
    record Fail(Claim claim, Failure failure) implements Transition {}

    /**
     * Runs the job again at {@code when}; the attempt is not spent.
     *
     * @param reason why this worker could not run it; null when the handler requested the snooze
     */
    record Snooze(Claim claim, RunAt when, @Nullable Failure reason) implements Transition {}

    /** The worker returns the job unfinished, to run at once elsewhere; the attempt is not spent. */
    record GiveBack(Claim claim) implements Transition {}

    /** The run ended because a cancel was requested. */
    record Cancelled(Claim claim) implements Transition {}

    /** The job's process died: counts as a crash in addition to spending the attempt. */
    record Crashed(Claim claim, Failure failure) implements Transition {}

    static Transition succeed(Claim claim, String result) {
        return new Succeed(claim, result);
    }

    static Transition retry(Claim claim, RunAt when, Failure failure) {
        return new Retry(claim, when, failure);
    }

    static Transition fail(Claim claim, Failure failure) {
        return new Fail(claim, failure);
    }

    static Transition snooze(Claim claim, RunAt when) {
        return new Snooze(claim, when, null);
    }

    /** A snooze because this worker cannot run the job; another worker may. */
    static Transition leave(Claim claim, RunAt when, Failure reason) {
        return new Snooze(claim, when, reason);
    }

    static Transition giveBack(Claim claim) {
        return new GiveBack(claim);
    }

    static Transition cancelled(Claim claim) {
        return new Cancelled(claim);
    }

    static Transition crashed(Claim claim, Failure failure) {
        return new Crashed(claim, failure);
    }
}
