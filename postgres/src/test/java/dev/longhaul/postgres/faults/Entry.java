package dev.longhaul.postgres.faults;

import dev.longhaul.job.Claim;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Verdict;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * One line of a ledger: an action on a run of a job, or a response of the store.
 *
 * @param at when it was written, by the clock of the machine, which is the database's too
 * @param details further fields of the kind, in its own order; read through the methods below
 */
record Entry(Kind kind, String worker, Instant at, JobId jobId, int run, List<String> details) {
    /** The kind of entry. */
    enum Kind {
        /** A claim returned the job. */
        CLAIMED,
        STARTED,
        FINISHED,
        /** The run's outcome is about to be sent. */
        SENT,
        /** The store's verdict on the outcome. */
        ANSWERED,
        /** The store's verdict on a report: progress, step and event. */
        SAVED,
        /** The store's response to a renewal. */
        RENEWED,
        /** The store ended the run because its lease had expired. */
        EXPIRED,
        /** An operator retried the failed job; the run is the last one before. */
        RETRIED
    }

    Entry {
        details = List.copyOf(details);
    }

    /** A run of a job. */
    record RunKey(JobId jobId, int run) {}

    RunKey key() {
        return new RunKey(jobId, run);
    }

    static Entry of(Kind kind, String worker, Claim claim, String... details) {
        return new Entry(kind, worker, Instant.now(), claim.jobId(), claim.run(), List.of(details));
    }

    /** Keeps the claim's key as a hash: a reader of the ledger must not be able to act as the owner. */
    static Entry claimed(String worker, ClaimedJob claimed, UUID batch, int index) {
        var job = claimed.job();
        return of(
                Kind.CLAIMED,
                worker,
                claimed.claim(),
                Integer.toHexString(batch.hashCode()),
                Integer.toString(index),
                Integer.toString(job.spec().priority()),
                job.times().runAt().toString(),
                String.valueOf(job.times().startedAt()));
    }

    static Entry sent(String worker, Claim claim, Work.Outcome outcome, long delayMillis, String result) {
        return of(Kind.SENT, worker, claim, outcome.name(), Long.toString(delayMillis), result);
    }

    static Entry answered(String worker, Claim claim, Work.Outcome outcome, Verdict verdict) {
        return of(Kind.ANSWERED, worker, claim, outcome.name(), verdict.kind().name());
    }

    static Entry saved(String worker, Claim claim, Instant sentAt, Verdict verdict) {
        return of(Kind.SAVED, worker, claim, sentAt.toString(), verdict.kind().name());
    }

    static Entry renewed(String worker, Claim claim, boolean held) {
        return of(Kind.RENEWED, worker, claim, held ? "WON" : "LOST");
    }

    static Entry expired(String worker, Claim claim, JobState state) {
        return of(Kind.EXPIRED, worker, claim, state.name());
    }

    static Entry retried(JobId jobId, int run) {
        return new Entry(Kind.RETRIED, "operator", Instant.now(), jobId, run, List.of());
    }

    /** The claim whose response contained the job. */
    String batch() {
        return worker + " " + details.get(0);
    }

    int index() {
        return Integer.parseInt(details.get(1));
    }

    int priority() {
        return Integer.parseInt(details.get(2));
    }

    Instant runAt() {
        return Instant.parse(details.get(3));
    }

    Instant startedAt() {
        return Instant.parse(details.get(4));
    }

    Work.Outcome outcome() {
        return Work.Outcome.valueOf(details.get(0));
    }

    long delayMillis() {
        return Long.parseLong(details.get(1));
    }

    String result() {
        return details.get(2);
    }

    Instant sentAt() {
        return Instant.parse(details.get(0));
    }

    JobState state() {
        return JobState.valueOf(details.get(0));
    }

    /** Whether the store responded that the write took effect; the verdict comes last. */
    boolean won() {
        return !details.isEmpty() && details.get(details.size() - 1).equals(Verdict.Kind.WON.name());
    }

    String line() {
        return String.join("|", kind.name(), worker, at.toString(), jobId.toString(), Integer.toString(run)) + "|"
                + String.join("|", details);
    }

    static Entry parse(String line) {
        String[] parts = line.split("\\|", -1);
        List<String> details = Arrays.asList(parts).subList(5, parts.length);
        return new Entry(
                Kind.valueOf(parts[0]),
                parts[1],
                Instant.parse(parts[2]),
                JobId.parse(parts[3]),
                Integer.parseInt(parts[4]),
                details.equals(List.of("")) ? List.of() : details);
    }
}
