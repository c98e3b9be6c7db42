package dev.longhaul.spring.web;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads of the dashboard and the API, apart from those of the web framework. */
final class WebThreads implements AutoCloseable {
    private static final int MOST = 16;
    private static final long IDLE_SECONDS = 30;

    private final ThreadPoolExecutor blocking;
    private final ScheduledThreadPoolExecutor timer;

    WebThreads() {
        this.blocking = new ThreadPoolExecutor(
                MOST, MOST, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), named("longhaul-web-"));
        blocking.allowCoreThreadTimeOut(true);
        this.timer = new ScheduledThreadPoolExecutor(1, named("longhaul-web-timer-"));
        timer.setRemoveOnCancelPolicy(true);
    }

    private static ThreadFactory named(String prefix) {
        var number = new AtomicInteger();
        return task -> {
            var thread = new Thread(task, prefix + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    ExecutorService blocking() {
        return blocking;
    }

    ScheduledExecutorService timer() {
        return timer;
    }

    @Override
    public void close() {
        blocking.shutdown();
        timer.shutdownNow();
    }
}
