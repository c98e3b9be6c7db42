package dev.longhaul.server.tracing;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Encodes each span where it ends, so that nothing is kept of it but its bytes. A thread sends them, every second or when they are many. What
 * the collector does not take in time is lost, which is told.
 */
final class SpanSender implements SpanProcessor {
    private static final Logger LOG = LoggerFactory.getLogger(SpanSender.class);

    private static final long EVERY = TimeUnit.SECONDS.toNanos(1);
    /** Much, for a request costs more than what is in it. */
    private static final int MANY = 1 << 19;

    private static final int TOO_MANY = 1 << 22;
    private static final long TOLD_EVERY = TimeUnit.MINUTES.toNanos(1);

    private final Collector collector;
    private final CompletableResultCode closed = new CompletableResultCode();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition due = lock.newCondition();
    private OtlpMessage filling;
    private OtlpMessage sending;
    private boolean closing;
    private long lost;
    private String why = "";
    private long told = System.nanoTime() - TOLD_EVERY;

    SpanSender(Collector collector, Supplier<OtlpMessage> messages) {
        this.collector = collector;
        this.filling = messages.get();
        this.sending = messages.get();
    }

    SpanSender start() {
        var thread = new Thread(this::sendAll, "longhaul-spans");
        thread.setDaemon(true);
        thread.start();
        return this;
    }

    @Override
    public void onStart(Context parent, ReadWriteSpan span) {}

    @Override
    public boolean isStartRequired() {
        return false;
    }

    @Override
    public void onEnd(ReadableSpan span) {
        if (!span.getSpanContext().isSampled()) {
            return;
        }
        lock.lock();
        try {
            if (closing || filling.size() >= TOO_MANY) {
                lose(1, "it takes them too slowly");
                return;
            }
            filling.add(span.toSpanData());
            if (filling.size() >= MANY) {
                due.signal();
            }
        } catch (RuntimeException e) {
            // Whatever is wrong with a span must not harm the run that it tells of.
            lose(1, e.toString());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isEndRequired() {
        return true;
    }

    private void sendAll() {
        boolean more;
        do {
            more = awaitDue();
            if (sending.spans() > 0) {
                sending.finish();
                String problem = collector.send(sending);
                if (problem != null) {
                    lose(sending.spans(), problem);
                }
                sending.clear();
            }
            tellLost(!more);
        } while (more);
        closed.succeed();
    }

    /** Waits until there may be something to send, and makes that what is sent. False if it is the last. */
    private boolean awaitDue() {
        lock.lock();
        try {
            long left = EVERY;
            while (!closing && filling.size() < MANY && left > 0) {
                left = due.awaitNanos(left);
            }
            OtlpMessage filled = filling;
            filling = sending;
            sending = filled;
            return !closing;
        } catch (InterruptedException e) {
            closing = true;
            return awaitDue();
        } finally {
            lock.unlock();
        }
    }

    private void lose(int spans, String reason) {
        lock.lock();
        try {
            lost += spans;
            why = reason;
        } finally {
            lock.unlock();
        }
    }

    /** Not with every request, which may be many a second. */
    private void tellLost(boolean last) {
        lock.lock();
        try {
            long now = System.nanoTime();
            if (lost > 0 && (last || now - told >= TOLD_EVERY)) {
                LOG.warn("{} spans are lost, {} did not take them: {}", lost, collector, why);
                lost = 0;
                told = now;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Sends what it has, without trying it twice. */
    @Override
    public CompletableResultCode shutdown() {
        lock.lock();
        try {
            closing = true;
            due.signal();
        } finally {
            lock.unlock();
        }
        collector.hurry();
        return closed;
    }
}
