package dev.longhaul.internal.store;

import dev.longhaul.internal.loop.RareLog;
import dev.longhaul.job.JobSpec;
import dev.longhaul.spi.Inserted;
import dev.longhaul.spi.StoreListener;
import dev.longhaul.spi.StoreListener.Operation;
import dev.longhaul.spi.Subscription;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.LeaseRenewal;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** The listeners of one store. A listener that throws affects neither the store's operation nor the other listeners. */
public final class StoreListeners {
    private final List<Registered> listeners = new CopyOnWriteArrayList<>();
    private final RareLog errors = new RareLog(LoggerFactory.getLogger(StoreListeners.class));

    /** Compared by identity, so that a listener that is registered twice is notified twice. */
    private static final class Registered {
        final StoreListener listener;

        Registered(StoreListener listener) {
            this.listener = listener;
        }
    }

    public Subscription add(StoreListener listener) {
        var registered = new Registered(listener);
        listeners.add(registered);
        return () -> listeners.remove(registered);
    }

    /** Reports an event to every listener. */
    public void report(Consumer<StoreListener> event) {
        for (Registered registered : listeners) {
            try {
                event.accept(registered.listener);
            } catch (Throwable e) {
                errors.error("a listener of the store failed; the operation is not affected", e);
            }
        }
    }

    // Operations whose duration is measured and whose results are reported

    public List<Inserted> insert(Supplier<List<Inserted>> insert) {
        List<Inserted> inserted = timed(Operation.INSERT, insert);
        enqueued(inserted);
        return inserted;
    }

    /** Reports each stored job that this insert has created. */
    public void enqueued(List<Inserted> inserted) {
        if (!listeners.isEmpty()) {
            List<JobSpec> jobs = inserted.stream()
                    .filter(Inserted::isNew)
                    .map(one -> one.job().spec())
                    .toList();
            report(listener -> listener.enqueued(jobs));
        }
    }

    public List<ClaimedJob> claim(Duration lease, Supplier<List<ClaimedJob>> claim) {
        List<ClaimedJob> claimed = timed(Operation.CLAIM, claim);
        report(listener -> listener.claimed(claimed, lease));
        return claimed;
    }

    public List<LeaseRenewal> extend(Duration lease, Supplier<List<LeaseRenewal>> extend) {
        List<LeaseRenewal> answers = timed(Operation.EXTEND, extend);
        report(listener -> listener.extended(answers, lease));
        return answers;
    }

    public List<Verdict> save(List<RunUpdate> updates, Supplier<List<Verdict>> save) {
        List<Verdict> verdicts = timed(Operation.SAVE, save);
        report(listener -> listener.saved(updates, verdicts));
        return verdicts;
    }

    public List<Verdict> apply(List<Transition> transitions, Supplier<List<Verdict>> apply) {
        report(listener -> listener.applying(transitions));
        List<Verdict> verdicts = timed(Operation.APPLY, apply);
        report(listener -> listener.applied(transitions, verdicts));
        return verdicts;
    }

    private <T> List<T> timed(Operation operation, Supplier<List<T>> call) {
        long began = System.nanoTime();
        try {
            List<T> result = call.get();
            called(operation, began, result.size(), null);
            return result;
        } catch (RuntimeException | Error e) {
            called(operation, began, 0, e);
            throw e;
        }
    }

    private void called(Operation operation, long began, int jobs, @Nullable Throwable failure) {
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        report(listener -> listener.called(operation, took, jobs, failure));
    }
}
