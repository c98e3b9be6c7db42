package dev.longhaul.faults;

import dev.longhaul.catalog.Catalog;
import dev.longhaul.spi.HookSource;
import dev.longhaul.spi.ScheduleStore;
import dev.longhaul.spi.Store;
import dev.longhaul.spi.WorkerDirectory;
import dev.longhaul.webhook.WebhookStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A store that throws an Error at the calls of one thread: one call before it takes effect, the next one after it did. */
final class FailingThread {
    private static final List<Class<?>> PARTS =
            List.of(ScheduleStore.class, WebhookStore.class, Catalog.class, HookSource.class, WorkerDirectory.class);

    private final AtomicInteger thrown = new AtomicInteger();
    private volatile String thread = "";

    Store of(Store behind) {
        return (Store) proxy(Store.class, behind);
    }

    /** From now on, calls of the thread with that name fail; of no thread if it is empty. */
    void fail(String threadName) {
        thread = threadName;
    }

    int thrown() {
        return thrown.get();
    }

    private Object proxy(Class<?> type, Object behind) {
        return Proxy.newProxyInstance(
                FailingThread.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    boolean fails = Thread.currentThread().getName().equals(thread);
                    boolean after = fails && thrown.incrementAndGet() % 2 == 0;
                    if (fails && !after) {
                        throw new OutOfMemoryError("planted before " + method.getName());
                    }
                    Object answer;
                    try {
                        answer = method.invoke(behind, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                    if (after) {
                        throw new OutOfMemoryError("planted after " + method.getName());
                    }
                    return PARTS.contains(method.getReturnType()) ? proxy(method.getReturnType(), answer) : answer;
                });
    }
}
