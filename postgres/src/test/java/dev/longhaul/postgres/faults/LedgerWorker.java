package dev.longhaul.postgres.faults;

import dev.longhaul.event.EventType;
import dev.longhaul.event.NewEvent;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Progress;
import dev.longhaul.job.Step;
import dev.longhaul.spi.Store;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.LeaseRenewal;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Verdict;
import dev.longhaul.work.WorkFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The steps of a worker, each written to its ledger before or after the store call, as required. */
final class LedgerWorker {
    static final String QUEUE = "ledger";

    private final String id;
    private final Store store;
    private final Ledger ledger;

    LedgerWorker(String id, Store store, Ledger ledger) {
        this.id = id;
        this.store = store;
        this.ledger = ledger;
    }

    /** An outcome that waits to be sent. */
    record Queued(ClaimedJob job, Work.Outcome outcome, String result) {}

    List<ClaimedJob> claim(int max, Duration lease) {
        var request = ClaimRequest.of(id, List.of(QUEUE), null, max, lease);
        // First those that ordinary claims exclude: here no other jobs run beside them.
        if (store.work()
                .untilNextDue(WorkFilter.of(List.of(QUEUE), null).forLastLife())
                .isPresent()) {
            request = request.forLastLife();
        }
        List<ClaimedJob> jobs = store.work().claim(request);
        var entries = new ArrayList<Entry>();
        for (ClaimedJob job : jobs) {
            entries.add(Entry.claimed(id, job, request.batch(), entries.size()));
        }
        ledger.write(entries);
        return jobs;
    }

    void start(ClaimedJob job) {
        ledger.write(List.of(Entry.of(Entry.Kind.STARTED, id, job.claim())));
    }

    /** Reports progress, a step and an event that name the run, so that a stale one is visible. */
    List<Verdict> save(List<ClaimedJob> jobs) {
        var updates = new ArrayList<RunUpdate>();
        for (ClaimedJob job : jobs) {
            String note = note(job.claim());
            updates.add(new RunUpdate(
                    job.claim(),
                    new Progress(50, note),
                    List.of(new Step("step-" + job.claim().run(), "\"" + note + "\"")),
                    List.of(new NewEvent(1, EventType.CUSTOM, null, "{\"message\":\"" + note + "\"}"))));
        }
        Instant sentAt = Instant.now();
        List<Verdict> verdicts = store.work().save(updates);
        var entries = new ArrayList<Entry>();
        for (int i = 0; i < jobs.size(); i++) {
            entries.add(Entry.saved(id, jobs.get(i).claim(), sentAt, verdicts.get(i)));
        }
        ledger.write(entries);
        return verdicts;
    }

    private String note(Claim claim) {
        return "run " + claim.run() + " by " + id;
    }

    List<LeaseRenewal> renew(List<ClaimedJob> jobs, Duration lease) {
        List<LeaseRenewal> answers =
                store.work().extend(jobs.stream().map(ClaimedJob::claim).toList(), lease);
        ledger.write(answers.stream()
                .map(answer -> Entry.renewed(id, answer.claim(), answer.held()))
                .toList());
        return answers;
    }

    Queued finish(ClaimedJob job) {
        ledger.write(List.of(Entry.of(Entry.Kind.FINISHED, id, job.claim())));
        Work work = Work.of(job.job().spec().params());
        return new Queued(job, work.outcome(job.claim().run()), "\"" + note(job.claim()) + "\"");
    }

    /** Records outcomes that are about to be sent. */
    void announce(List<Queued> outcomes) {
        ledger.write(outcomes.stream()
                .map(one ->
                        Entry.sent(id, one.job().claim(), one.outcome(), Work.delayMillis(one.outcome()), one.result()))
                .toList());
    }

    List<Verdict> apply(List<Queued> outcomes) {
        List<Verdict> verdicts = store.work()
                .apply(outcomes.stream()
                        .map(one -> Work.transition(one.outcome(), one.job().claim(), one.result()))
                        .toList());
        var entries = new ArrayList<Entry>();
        for (int i = 0; i < outcomes.size(); i++) {
            Queued one = outcomes.get(i);
            entries.add(Entry.answered(id, one.job().claim(), one.outcome(), verdicts.get(i)));
        }
        ledger.write(entries);
        return verdicts;
    }
}
