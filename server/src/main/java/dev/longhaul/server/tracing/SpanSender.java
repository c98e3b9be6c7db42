package dev.longhaul.server.tracing;

import dev.longhaul.loop.BackgroundLoop;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Encodes each span where it ends, so that nothing is kept of it but its bytes. A thread sends them, every second or when they are many. What
 * the collector does not take in time is lost, which is told, once a minute at most.
 */
final class SpanSender implements SpanProcessor {
    private static final Logger LOG = LoggerFactory.getLogger(SpanSender.class);

    private static final long EVERY = TimeUnit.SECONDS.toNanos(1);
    /** Bytes in a request. Many, for it costs more than what is in it. */
    private static final int MANY = 1 << 19;
    /** How many requests wait or are under way. */
    private static final int MESSAGES = 8;

    private static final long TOLD_EVERY = TimeUnit.MINUTES.toNanos(1);

    private final Collector collector;
    private final CompletableResultCode closed = new CompletableResultCode();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition due = lock.newCondition();
    private final ArrayDeque<OtlpMessage> empty = new ArrayDeque<>();
    private final ArrayDeque<OtlpMessage> full = new ArrayDeque<>();
    private @Nullable OtlpMessage filling;
    private boolean closing;
    private long lost;
    private String why = "";
    private long told = System.nanoTime() - TOLD_EVERY;

    SpanSender(Collector collector, Supplier<OtlpMessage> messages) {
        this.collector = collector;
        for (int i = 0; i < MESSAGES; i++) {
            empty.add(messages.get());
        }
    }

    SpanSender start() {
        BackgroundLoop.helper("spans", this::sendNext, closed::succeed);
        return this;
    }

    @Override
    public void onStart(Context parent, ReadWriteSpan span) {}

    @Override
    public boolean isStartRequired() {
        return false;
    }

    @Override
    public boolean isEndRequired() {
        return true;
    }

    @Override
    public void onEnd(ReadableSpan span) {
        if (!span.getSpanContext().isSampled()) {
            return;
        }
        try {
            add(span.toSpanData());
        } catch (RuntimeException | Error e) {
            // Whatever is wrong with a span, be it too large for the heap, must not harm the run that it tells of.
            lose(1, e.toString());
        }
    }

    private void add(SpanData span) {
        lock.lock();
        try {
            if (closing) {
                return;
            }
            if (filling == null) {
                filling = empty.poll();
            }
            if (filling == null) {
                lose(1, "it takes them too slowly");
                return;
            }
            filling.add(span);
            if (filling.size() >= MANY) {
                full.add(filling);
                filling = null;
                due.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean sendNext() throws InterruptedException {
        OtlpMessage next = awaitNext();
        if (next == null) {
            tellLost(0);
            return false;
        }
        send(next);
        tellLost(TOLD_EVERY);
        return true;
    }

    /** What is to be sent next; null when it closes and nothing is left. */
    private @Nullable OtlpMessage awaitNext() throws InterruptedException {
        lock.lock();
        try {
            long left = EVERY;
            while (full.isEmpty() && !closing && (left > 0 || filling == null)) {
                left = due.awaitNanos(left > 0 ? left : EVERY);
            }
            OtlpMessage next = full.poll();
            if (next == null) {
                next = filling;
                filling = null;
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    private void send(OtlpMessage message) {
        try {
            if (message.spans() == 0) {
                return;
            }
            message.finish();
            String problem = collector.send(message);
            if (problem != null) {
                lose(message.spans(), problem);
            }
        } catch (RuntimeException | Error e) {
            lose(message.spans(), e.toString());
        } finally {
            message.clear();
            lock.lock();
            try {
                empty.add(message);
            } finally {
                lock.unlock();
            }
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

    private void tellLost(long every) {
        long spans;
        String reason;
        lock.lock();
        try {
            long now = System.nanoTime();
            if (lost == 0 || now - told < every) {
                return;
            }
            spans = lost;
            reason = why;
            lost = 0;
            told = now;
        } finally {
            lock.unlock();
        }
        LOG.warn("{} spans were lost on their way to {}: {}", spans, collector, reason);
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
