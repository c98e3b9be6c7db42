package dev.longhaul.engine.run;

import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.event.EventType;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.Step;
import dev.longhaul.json.Secrets;
import dev.longhaul.spi.Execution;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A run that this process owns, from its claim until its end is stored. The first reason to stop is kept; only a lost
 * lease replaces an earlier reason.
 */
public final class LiveRun implements Execution {
    /** Why a run should stop. */
    public enum Stop {
        CANCEL,
        TIMEOUT,
        RELEASE,
        LOST
    }

    private static final long A_LITTLE = TimeUnit.MILLISECONDS.toNanos(100);

    private final ClaimedJob claimed;
    private final JobDefinition<?, ?> definition;
    private volatile Duration lease;
    private final Past past;
    private volatile Runnable whenLonger = () -> {};
    private final RunTracing.RunTrace trace;
    private final RunSecrets secrets;
    private final RunContext context;
    private final CompletableFuture<Verdict> settled = new CompletableFuture<>();
    private final List<Runnable> onStop = new ArrayList<>(0);
    private final List<Runnable> onDraining = new ArrayList<>(0);
    private final long claimedAt = System.nanoTime();
    private volatile long leasedAt = claimedAt;
    private volatile long startedAt;
    private volatile boolean started;
    private volatile boolean begun;
    private volatile boolean awaited;
    private volatile boolean ended;
    private volatile boolean endQueued;
    private volatile @Nullable Stop stop;
    private volatile @Nullable CancelRequest cancelRequest;
    private volatile long stoppedAt;
    private boolean endTaken;
    private boolean traceSettled;
    private boolean settling;
    private @Nullable Thread thread;
    private List<LiveRun> predecessors = List.of();
    /** This field and the next two are used by RunWatch only. */
    public long interruptedAt;

    public long firstInterruptedAt;
    public boolean interrupted;
    /** Whether the run was reported as stuck; read by other threads. */
    public volatile boolean stuckReported;
    /** Whether the job has ended without waiting for the code; read by other threads. */
    public volatile boolean abandoned;

    public LiveRun(
            ClaimedJob claimed,
            JobDefinition<?, ?> definition,
            RunContext.Surroundings surroundings,
            RunTracing.RunTrace trace) {
        this(claimed, definition, surroundings, trace, new Past(0, Duration.ZERO));
    }

    LiveRun(
            ClaimedJob claimed,
            JobDefinition<?, ?> definition,
            RunContext.Surroundings surroundings,
            RunTracing.RunTrace trace,
            Past past) {
        this.claimed = claimed;
        this.definition = definition;
        this.trace = trace;
        this.lease = surroundings.lease();
        this.begun = claimed.begin() == ClaimedJob.Begin.STORED;
        this.past = past;
        this.secrets = new RunSecrets(claimed.job().spec(), definition);
        this.context = new RunContext(this, surroundings, past.takeovers());
    }

    @Override
    public Claim claim() {
        return claimed.claim();
    }

    @Override
    public Job job() {
        return claimed.job();
    }

    @Override
    public JobDefinition<?, ?> definition() {
        return definition;
    }

    @Override
    public String params() {
        return job().spec().params();
    }

    @Override
    public int takeovers() {
        return past.takeovers();
    }

    @Override
    public List<Step> steps() {
        return context.finishedSteps();
    }

    @Override
    public void continueEvents() {
        report().continueEvents();
    }

    @Override
    public void onSettled(Consumer<Boolean> action) {
        var unused = settled.thenAccept(verdict -> action.accept(verdict.won()));
    }

    @Override
    public JobContext context() {
        return context;
    }

    @Override
    public void report(EventType type, String payload) {
        context.eventNow(type, payload);
    }

    @Override
    public @Nullable String traceparent() {
        return trace.traceparent();
    }

    @Override
    public Secrets secrets() {
        return secrets.all();
    }

    @Override
    public void hide(Collection<String> values) {
        secrets.add(values);
    }

    public Failure hidden(Failure failure) {
        return secrets().hide(failure);
    }

    @Override
    public synchronized long nanosLeft() {
        return Math.max(0, leasedAt + lease.toNanos() - System.nanoTime());
    }

    public RunTracing.RunTrace trace() {
        return trace;
    }

    public Report report() {
        return context.report();
    }

    /** Marks the run as awaited: the caller waits for its end and runs its hooks itself. */
    public void await() {
        awaited = true;
    }

    public boolean awaited() {
        return awaited;
    }

    /** Adds an event of the worker to the events of the job. */
    public void note(EventType type, String payload) {
        context.note(type, payload);
    }

    /** Completed when the end of the run is stored, or can no longer be stored. */
    public CompletableFuture<Verdict> settled() {
        return settled;
    }

    /**
     * Records that the run has an end; returns false if it has one already. A drain gives back runs that do not end in
     * time; a later result of their code is ignored.
     */
    public synchronized boolean takeEnd() {
        boolean first = !endTaken;
        endTaken = true;
        return first;
    }

    /**
     * Records the verdict on the end of the run. May be called again after an Error; the trace is settled only once.
     */
    public void settle(Verdict verdict) {
        boolean first;
        synchronized (this) {
            first = !traceSettled;
            traceSettled = true;
        }
        if (first) {
            trace.settled(verdict);
        }
        synchronized (this) {
            settling = true;
            forgetIfOver();
        }
        settled.complete(verdict);
    }

    /** Forgets the secrets once neither the code nor the thread that stores the end will log anything any more. */
    private void forgetIfOver() {
        if (settling && !running()) {
            secrets.forget();
        }
    }

    // The lease

    public Duration lease() {
        return lease;
    }

    @Override
    public void lastsFor(Duration longer) {
        synchronized (this) {
            if (longer.compareTo(lease) <= 0) {
                return;
            }
            // Keeps the expiry time: the store extends the lease only with the next renewal, which is due at once.
            leasedAt += lease.toNanos() - longer.toNanos();
            lease = longer;
        }
        whenLonger.run();
    }

    /** Calls {@code action} when the run requests a longer lease. */
    public void onLonger(Runnable action) {
        whenLonger = action;
    }

    public long claimedAt() {
        return claimedAt;
    }

    public long leasedAt() {
        return leasedAt;
    }

    /**
     * Records that the store extended the lease by {@code duration} at {@code nanos}. The duration is shorter than
     * {@link #lease} if {@link #lastsFor} was called during the renewal.
     */
    public synchronized void leaseRenewed(long nanos, Duration duration) {
        leasedAt = nanos + duration.toNanos() - lease.toNanos();
    }

    // The thread

    /**
     * Sets the earlier runs of the same job in this process: they no longer own the job, but their code has not ended
     * yet.
     */
    synchronized void setPredecessors(List<LiveRun> older) {
        predecessors = older;
    }

    /**
     * Waits until the code of earlier runs of the same job in this process has ended, but no longer than {@code
     * patience}. Returns false if such code still runs then. Returns true early if this run has to stop.
     */
    public boolean awaitPredecessors(Duration patience) throws InterruptedException {
        long began = System.nanoTime();
        List<LiveRun> older;
        synchronized (this) {
            older = predecessors;
            predecessors = List.of();
        }
        for (LiveRun one : older) {
            while (stop == null && !one.awaitEnd()) {
                if (System.nanoTime() - began >= patience.toNanos()) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Waits briefly for the end of the code; returns whether it has ended. */
    private synchronized boolean awaitEnd() throws InterruptedException {
        long until = System.nanoTime() + A_LITTLE;
        for (long left = A_LITTLE; !ended && left > 0; left = until - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return ended;
    }

    public synchronized void begin(Thread runner) {
        thread = runner;
        startedAt = System.nanoTime() - past.duration().toNanos();
        started = true;
        secrets.remember();
    }

    /** Whether the store counts the run as begun. */
    public boolean begun() {
        return begun;
    }

    /** Whether the begin must be stored before the code starts. */
    public boolean beginsFirst() {
        return !begun && claimed.begin() == ClaimedJob.Begin.FIRST;
    }

    public synchronized void beginStored() {
        begun = true;
        notifyAll();
    }

    /** Waits until the store counts the run as begun, or the run has to stop. */
    public synchronized void awaitBegun() throws InterruptedException {
        while (!begun && stop == null) {
            wait();
        }
    }

    /** Records that the code has ended. From now on its thread is not interrupted, because it executes other runs. */
    public synchronized void end() {
        thread = null;
        ended = true;
        forgetIfOver();
        notifyAll();
    }

    public synchronized void interrupt() {
        if (thread != null) {
            thread.interrupt();
        }
    }

    boolean started() {
        return started;
    }

    public boolean ended() {
        return ended;
    }

    /** Records that the run's end is queued for storing. */
    public void endQueued() {
        endQueued = true;
    }

    /** Whether the code has ended and the end is stored or queued to be stored. */
    public boolean handedOver() {
        return ended && endQueued;
    }

    public long startedAt() {
        return startedAt;
    }

    /** Whether the code runs now. */
    public boolean running() {
        return started && !ended;
    }

    // Stopping

    public @Nullable Stop stop() {
        return stop;
    }

    @Override
    public boolean lost() {
        return stop == Stop.LOST;
    }

    public @Nullable CancelRequest cancelRequest() {
        return cancelRequest;
    }

    public long stoppedAt() {
        return stoppedAt;
    }

    /** Records that the lease is lost: stops the code, and discards its later reports. */
    public void lose() {
        stop(Stop.LOST);
        report().close();
        interrupt();
    }

    public void cancel(CancelRequest request) {
        cancelRequest = request;
        stop(Stop.CANCEL);
    }

    /** Requests the code to stop; callbacks are foreign code, so they run on a separate thread. */
    public void stop(Stop reason) {
        List<Runnable> callbacks;
        synchronized (this) {
            boolean first = stop == null;
            if (!first && reason != Stop.LOST) {
                return;
            }
            stop = reason;
            notifyAll();
            if (!first) {
                return;
            }
            stoppedAt = System.nanoTime();
            callbacks = List.copyOf(onStop);
            onStop.clear();
        }
        if (!callbacks.isEmpty()) {
            Threads.CALLBACKS.execute(() -> callbacks.forEach(context::call));
        }
    }

    public void onStop(Runnable action) {
        synchronized (this) {
            if (stop == null) {
                onStop.add(action);
                return;
            }
        }
        context.call(action);
    }

    @Override
    public void onDraining(Runnable action) {
        synchronized (this) {
            onDraining.add(action);
        }
        if (context.draining()) {
            draining();
        }
    }

    /** Notifies the run that the worker shuts down. */
    public void draining() {
        List<Runnable> actions;
        synchronized (this) {
            actions = List.copyOf(onDraining);
            onDraining.clear();
        }
        if (!actions.isEmpty()) {
            Threads.CALLBACKS.execute(() -> actions.forEach(context::call));
        }
    }

    @Override
    public String toString() {
        return claim() + " of " + definition;
    }
}
