package dev.longhaul.faults;

import dev.longhaul.job.JobId;
import dev.longhaul.spi.Leadership;
import dev.longhaul.spi.Store;
import java.time.Duration;
import java.time.Instant;

/** Takes a running job from its owner, as a leader does that considers the owner dead. */
final class Thief {
    private static final Duration TERM = Duration.ofSeconds(30);

    private final Rig rig;

    Thief(Rig rig) {
        this.rig = rig;
    }

    /** Ends the run of a job whose owner is alive, and makes the job wait again. */
    void steal(JobId id) {
        Store store = rig.longhaul.store();
        Leadership taken = store.upkeep().lead("thief", TERM, TERM).orElseThrow();
        // A real leader would wait for a whole lease.
        var careless =
                new Leadership(taken.holder(), taken.epoch(), Instant.now().plus(TERM));
        Rig.await("the lease is lost", TERM, () -> {
            // The owner may renew it in between.
            rig.journal.update(
                    "update longhaul.live_job set lease_until = clock_timestamp() - interval '1 second' where id = ?",
                    id);
            return store.upkeep().expireLeases(careless, 10).size() == 1;
        });
        store.upkeep().resign(taken);
    }
}
