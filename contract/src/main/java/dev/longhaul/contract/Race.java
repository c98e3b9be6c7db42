package dev.longhaul.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/** Runs code in threads that start at the same moment. */
public final class Race {
    private static final int MAX_SECONDS = 60;

    private Race() {}

    /**
     * Calls the function on that many threads at the same time, with the numbers from 0. Returns the results in the
     * order of the numbers.
     */
    public static <T> List<T> of(int contestants, IntFunction<T> contestant) {
        var start = new CountDownLatch(1);
        var tasks = new ArrayList<FutureTask<T>>();
        for (int i = 0; i < contestants; i++) {
            int number = i;
            var task = new FutureTask<T>(() -> {
                start.await();
                return contestant.apply(number);
            });
            tasks.add(task);
            var thread = new Thread(task, "contestant-" + number);
            thread.setDaemon(true);
            thread.start();
        }
        start.countDown();
        return tasks.stream().map(Race::outcome).toList();
    }

    private static <T> T outcome(FutureTask<T> task) {
        try {
            return task.get(MAX_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("a thread of the race failed: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("the race did not end within " + MAX_SECONDS + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
