package dev.longhaul;

import dev.longhaul.engine.Notices;
import dev.longhaul.internal.store.Refusal;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.spi.Store;
import dev.longhaul.spi.Subscription;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Waits for jobs to end: told at once when they end in this process, by looking when they end elsewhere. */
final class Awaiting {
    private static final long FIRST_LOOK = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long RAREST_LOOK = TimeUnit.MILLISECONDS.toNanos(500);

    private final Store store;
    private final Notices notices;

    Awaiting(Store store, Notices notices) {
        this.store = store;
        this.notices = notices;
    }

    /** The job once it has ended, or as it stands when the time is over. */
    Job ended(JobId id, Duration patience) throws InterruptedException {
        long until = System.nanoTime() + patience.toNanos();
        var told = new Semaphore(0);
        Subscription here = notices.listen(notice -> notice.jobId().equals(id), notice -> told.release());
        try {
            long pause = FIRST_LOOK;
            while (true) {
                Job job = store.jobs().find(id).orElseThrow(() -> Refusal.notFound(id));
                long left = until - System.nanoTime();
                if (job.state().terminal() || left <= 0) {
                    return job;
                }
                if (told.tryAcquire(Math.min(pause, left), TimeUnit.NANOSECONDS)) {
                    pause = FIRST_LOOK;
                } else {
                    pause = Math.min(pause * 3 / 2, RAREST_LOOK);
                }
            }
        } finally {
            here.close();
        }
    }
}
