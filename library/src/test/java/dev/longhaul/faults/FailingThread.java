package dev.longhaul.faults;

import dev.longhaul.contract.InterceptedStore;
import dev.longhaul.spi.Store;
import java.util.concurrent.atomic.AtomicInteger;

/** A store that throws an Error on calls of one thread: one call before it takes effect, the next one after it did. */
final class FailingThread {
    private final AtomicInteger thrown = new AtomicInteger();
    private volatile String thread = "";

    Store of(Store behind) {
        return InterceptedStore.of(behind, (method, arguments, call) -> {
            boolean fails = Thread.currentThread().getName().equals(thread);
            boolean after = fails && thrown.incrementAndGet() % 2 == 0;
            if (fails && !after) {
                throw new OutOfMemoryError("planted before " + method.getName());
            }
            Object result = call.goOn();
            if (after) {
                throw new OutOfMemoryError("planted after " + method.getName());
            }
            return result;
        });
    }

    /** From now on, calls of the thread with that name fail; an empty name means no thread. */
    void fail(String threadName) {
        thread = threadName;
    }

    int thrown() {
        return thrown.get();
    }
}
