package dev.longhaul.worker;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the worker's threads: daemons, so that they never keep a process alive that wants to end. */
final class Threads {
    private static final Logger LOG = LoggerFactory.getLogger(Threads.class);
    private static final @Nullable MethodHandle START_VIRTUAL = startVirtual();

    private Threads() {}

    static Thread start(String name, Runnable work) {
        var thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((dead, error) -> LOG.error("thread {} died", dead.getName(), error));
        thread.start();
        return thread;
    }

    /** Whether this JVM has virtual threads. */
    static boolean virtual() {
        return START_VIRTUAL != null;
    }

    /** Starts a virtual thread; only where there are some. */
    static void startVirtual(Runnable work) {
        if (START_VIRTUAL == null) {
            throw new IllegalStateException("this JVM has no virtual threads (expected: 21 or later)");
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
