package dev.longhaul.engine.run;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Threads for foreign code: virtual threads if the JVM has them, and threads for callbacks. */
public final class Threads {
    private static final Logger LOG = LoggerFactory.getLogger(Threads.class);
    private static final @Nullable MethodHandle START_VIRTUAL = startVirtual();

    /**
     * Calls the callbacks that code has registered for a cancel or a drain. Unbounded, because a blocked callback must
     * not delay others; at most one per run is active, and threads are reused.
     */
    static final Executor CALLBACKS = Executors.newCachedThreadPool(work -> {
        var thread = new Thread(work, "longhaul-callbacks");
        thread.setDaemon(true);
        return thread;
    });

    private Threads() {}

    /** Whether this JVM has virtual threads. */
    public static boolean virtual() {
        return START_VIRTUAL != null;
    }

    /** Starts a virtual thread; throws if the JVM has none. */
    public static void startVirtual(Runnable work) {
        if (START_VIRTUAL == null) {
            throw new IllegalStateException("virtual threads: not available in this JVM (expected: Java 21 or later)");
        }
        try {
            Object started = START_VIRTUAL.invoke(work);
            LOG.trace("started {}", started);
        } catch (Throwable e) {
            throw new IllegalStateException("could not start a virtual thread", e);
        }
    }

    private static @Nullable MethodHandle startVirtual() {
        try {
            return MethodHandles.publicLookup()
                    .findStatic(
                            Thread.class, "startVirtualThread", MethodType.methodType(Thread.class, Runnable.class));
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }
}
