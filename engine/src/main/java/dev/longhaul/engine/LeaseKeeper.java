package dev.longhaul.engine;

import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.LiveRuns;
import dev.longhaul.engine.run.LogContext;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.JobId;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.Subscription;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.work.LeaseRenewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the leases of all jobs of this process with one statement, three times per lease, on a dedicated connection
 * and a thread that no job's code can occupy. The responses report cancel requests and lost leases. A cancel signal
 * brings the next renewal forward.
 */
public final class LeaseKeeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseKeeper.class);

    private static final int MOST_CANCEL_SIGNALS = 10_000;

    private final WorkSource source;
    private final LiveRuns live;
    private final long interval;
    private final Set<JobId> cancelSignals = ConcurrentHashMap.newKeySet();
    private final Set<JobId> unknown = new HashSet<>();
    private final Object monitor = new Object();
    private @Nullable BackgroundLoop loop;
    private @Nullable Subscription signals;
    private boolean woken;
    private boolean closed;
    private long lastResponse = System.nanoTime();
    private boolean unavailable;

    public LeaseKeeper(WorkSource source, LiveRuns live, Duration lease) {
        this.source = source;
        this.live = live;
        this.interval = lease.toNanos() / 3;
    }

    void start() {
        signals = source.listen(signal -> {
            if (signal.kind() == Signal.Kind.CANCEL) {
                cancelRequested(JobId.parse(signal.subject()));
            }
        });
        loop = BackgroundLoop.vital("leases", this::pass);
    }

    /** Notes that a cancel of this job was requested; if the job runs here, reads the request immediately. */
    public void cancelRequested(JobId id) {
        // Kept even if the job is not known here: the response to its claim may still be on the way.
        if (cancelSignals.size() < MOST_CANCEL_SIGNALS) {
            cancelSignals.add(id);
        }
        if (live.find(id) != null) {
            wake();
        }
    }

    /** Reads a cancel request that arrived while the job was being claimed. Call when a job was claimed. */
    void adopted(LiveRun run) {
        if (cancelSignals.contains(run.claim().jobId())) {
            wake();
        }
    }

    /** Renews the leases that are due now, and reads cancel requests of their jobs. */
    void wake() {
        synchronized (monitor) {
            woken = true;
            monitor.notifyAll();
        }
    }

    /** Renews the leases that are due; returns false when the store is unavailable. */
    public boolean runOnce() {
        long now = System.nanoTime();
        Set<JobId> signalled = Set.copyOf(cancelSignals);
        List<LiveRun> due = due(now, signalled);
        try {
            if (!due.isEmpty()) {
                due.stream()
                        .collect(Collectors.groupingBy(LiveRun::lease))
                        .forEach((duration, runs) -> renew(runs, duration, now));
            }
            forget(signalled);
            if (unavailable) {
                LOG.info(
                        "database available again after {} s; leases renewed",
                        TimeUnit.NANOSECONDS.toSeconds(now - lastResponse));
            }
            unavailable = false;
            lastResponse = now;
            return true;
        } catch (LonghaulException e) {
            if (!unavailable) {
                LOG.warn("lease renewal failed; running jobs continue, retrying: {}", e.getMessage());
            }
            unavailable = true;
            return false;
        }
    }

    /** Keeps requests about unknown jobs for one more pass: the responses to their claims may still be on the way. */
    private void forget(Set<JobId> signalled) {
        for (JobId id : signalled) {
            if (live.find(id) != null || !unknown.add(id)) {
                cancelSignals.remove(id);
            }
        }
        unknown.retainAll(cancelSignals);
    }

    @Override
    public void close() {
        Subscription listening = signals;
        if (listening != null) {
            listening.close();
        }
        synchronized (monitor) {
            closed = true;
            monitor.notifyAll();
        }
        BackgroundLoop started = loop;
        if (started != null) {
            started.close(TimeUnit.SECONDS.toMillis(5));
        }
    }

    private List<LiveRun> due(long now, Set<JobId> signalled) {
        var due = new ArrayList<LiveRun>();
        for (LiveRun run : live.all()) {
            boolean old = now - run.leasedAt() >= run.lease().toNanos() / 6;
            if (!run.lost() && (old || signalled.contains(run.claim().jobId()))) {
                due.add(run);
            }
        }
        return due;
    }

    private void renew(List<LiveRun> due, Duration duration, long now) {
        List<LeaseRenewal> answers =
                source.extend(due.stream().map(LiveRun::claim).toList(), duration);
        for (int i = 0; i < due.size(); i++) {
            LiveRun run = due.get(i);
            LeaseRenewal answer = answers.get(i);
            if (answer.held()) {
                run.leaseRenewed(now, duration);
                CancelRequest cancel = answer.cancelRequest();
                if (cancel != null && run.cancelRequest() == null) {
                    run.cancel(cancel);
                }
            } else if (!run.ended()) {
                // The lease of an ended run may be gone because its outcome was stored; the verdict decides about that
                // run.
                LogContext.around(run.context(), () -> LOG.warn("{}: lease lost; interrupting its code", run));
                run.lose();
            }
        }
    }

    private boolean pass() throws InterruptedException {
        return sleep(runOnce() ? interval : Math.min(interval / 2, TimeUnit.SECONDS.toNanos(1)));
    }

    /** Sleeps for that time, or until a renewal is requested; returns false once closed. */
    private boolean sleep(long nanos) throws InterruptedException {
        long until = System.nanoTime() + nanos;
        synchronized (monitor) {
            for (long left = nanos; left > 0 && !woken && !closed; left = until - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(monitor, left);
            }
            woken = false;
            return !closed;
        }
    }
}
