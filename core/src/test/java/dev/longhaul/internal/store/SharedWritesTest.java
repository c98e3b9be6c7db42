package dev.longhaul.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers that share a commit. The first one blocks in the store until the others have queued up behind it. */
@Timeout(60)
class SharedWritesTest {
    private final List<List<String>> batches = Collections.synchronizedList(new ArrayList<>());
    private final Semaphore begun = new Semaphore(0);
    private final Semaphore goOn = new Semaphore(0);
    private final SharedWrites<String, String> shared = new SharedWrites<>(this::store, this::subject);

    private Object subject(String text) {
        if (text.equals("nameless")) {
            throw new StackOverflowError("planted");
        }
        return text.charAt(0);
    }

    /** Blocks until it is released, each time it is called. */
    private List<String> store(List<String> batch) {
        batches.add(batch);
        begun.release();
        goOn.acquireUninterruptibly();
        if (batch.contains("refused")) {
            throw new LonghaulException(
                    ErrorCode.RESOURCE_EXHAUSTED, List.of(new FieldError("queue", "full", "fewer waiting jobs")));
        }
        if (batch.contains("broken")) {
            throw new NoClassDefFoundError("planted");
        }
        if (batch.contains("interruptible") && Thread.interrupted()) {
            Thread.currentThread().interrupt();
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "interrupted");
        }
        if (batch.contains("unavailable")) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "unavailable");
        }
        return batch.stream().map(text -> text + "!").toList();
    }

    /** Lets one caller write alone while the others queue up behind it, until the second batch has begun. */
    private List<CompletableFuture<String>> gathered(String... writes) throws InterruptedException {
        var results = new ArrayList<CompletableFuture<String>>();
        results.add(new CompletableFuture<>());
        start("first", results.get(0));
        begun.acquire();
        for (String write : writes) {
            var result = new CompletableFuture<String>();
            results.add(result);
            awaitParked(start(write, result));
        }
        goOn.release();
        begun.acquire();
        return results;
    }

    private Thread start(String write, CompletableFuture<String> result) {
        return start(() -> shared.write(write), result);
    }

    private static Thread start(Supplier<String> write, CompletableFuture<String> result) {
        var thread = new Thread(() -> {
            try {
                result.complete(write.get());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void awaitParked(Thread thread) {
        while (thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
    }

    private static String result(CompletableFuture<String> future) throws Exception {
        return future.get(20, TimeUnit.SECONDS);
    }

    private static Throwable failure(CompletableFuture<String> future) throws Exception {
        try {
            throw new AssertionError("it was stored: " + result(future));
        } catch (ExecutionException e) {
            return Objects.requireNonNull(e.getCause());
        }
    }

    @Test
    void callers_that_arrive_meanwhile_share_the_next_write() throws Exception {
        var results = gathered("a", "b", "c");

        assertThat(result(results.get(0)))
                .as("while the next batch is being written")
                .isEqualTo("first!");
        assertThat(results.subList(1, 4)).noneMatch(CompletableFuture::isDone);
        goOn.release();
        assertThat(result(results.get(1)) + result(results.get(2)) + result(results.get(3)))
                .isEqualTo("a!b!c!");
        assertThat(batches).containsExactly(List.of("first"), List.of("a", "b", "c"));
    }

    @Test
    void writes_of_one_subject_are_separate_and_each_caller_returns_after_its_own() throws Exception {
        var results = gathered("a1", "a2", "b");
        goOn.release();
        begun.acquire();

        assertThat(result(results.get(1)) + result(results.get(3)))
                .as("while the last batch is being written")
                .isEqualTo("a1!b!");
        goOn.release();
        assertThat(result(results.get(2))).isEqualTo("a2!");
        assertThat(batches).containsExactly(List.of("first"), List.of("a1", "b"), List.of("a2"));
    }

    @Test
    void only_the_write_that_the_store_rejects_fails() throws Exception {
        var results = gathered("a", "refused", "b");
        goOn.release(10);

        assertThat(result(results.get(1)) + result(results.get(3))).isEqualTo("a!b!");
        assertThat(failure(results.get(2))).isInstanceOfSatisfying(LonghaulException.class, failure -> {
            assertThat(failure.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
            assertThat(failure.errors()).extracting(FieldError::field).containsExactly("queue");
        });
    }

    @Test
    void an_error_of_one_write_does_not_fail_the_others() throws Exception {
        var results = gathered("broken", "c");
        goOn.release(10);

        assertThat(failure(results.get(1))).isInstanceOf(NoClassDefFoundError.class);
        assertThat(result(results.get(2))).isEqualTo("c!");
    }

    @Test
    void an_unavailable_store_fails_all_callers_after_one_call() throws Exception {
        var results = gathered("b", "unavailable", "c");
        goOn.release();

        for (var one : results.subList(1, 4)) {
            assertThat(failure(one)).isInstanceOfSatisfying(LonghaulException.class, failure -> {
                assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                assertThat(failure).hasMessage("unavailable");
            });
        }
        assertThat(batches).hasSize(2);
        goOn.release();
        assertThat(shared.write("next")).isEqualTo("next!");
    }

    @Test
    void an_interrupted_caller_gets_its_result_and_stays_interrupted() throws Exception {
        start("first", new CompletableFuture<>());
        begun.acquire();
        var interrupted = new CompletableFuture<String>();
        var caller = new Thread(() -> interrupted.complete(
                shared.write("a") + " " + Thread.currentThread().isInterrupted()));
        caller.start();
        awaitParked(caller);
        caller.interrupt();
        goOn.release(2);
        assertThat(result(interrupted)).isEqualTo("a! true");
    }

    @Test
    void a_caller_that_arrives_interrupted_fails_no_write_and_stays_interrupted() throws Exception {
        var interrupted = new CompletableFuture<String>();
        start("first", new CompletableFuture<>());
        begun.acquire();
        var caller = new Thread(() -> {
            Thread.currentThread().interrupt();
            interrupted.complete(
                    shared.write("interruptible") + " " + Thread.currentThread().isInterrupted());
        });
        caller.start();
        awaitParked(caller);
        var other = new CompletableFuture<String>();
        awaitParked(start("other", other));
        goOn.release(10);
        assertThat(result(interrupted)).isEqualTo("interruptible! true");
        assertThat(result(other)).isEqualTo("other!");
    }

    @Test
    void a_caller_that_is_interrupted_while_it_writes_for_others_fails_none_of_them() throws Exception {
        var interrupted = new CompletableFuture<String>();
        var caller = new Thread(() -> interrupted.complete(
                shared.write("interruptible") + " " + Thread.currentThread().isInterrupted()));
        caller.start();
        begun.acquire();
        caller.interrupt();
        goOn.release(10);
        assertThat(result(interrupted)).isEqualTo("interruptible! true");
        assertThat(batches).as("written again").hasSize(2);
    }

    @Test
    void a_write_that_cannot_be_queued_leaves_no_caller_waiting() throws Exception {
        var results = gathered("a");
        var nameless = new CompletableFuture<String>();
        awaitParked(start("nameless", nameless));
        goOn.release(10);
        assertThat(result(results.get(1))).isEqualTo("a!");
        assertThat(failure(nameless)).isInstanceOf(StackOverflowError.class);
        assertThat(shared.write("next")).isEqualTo("next!");
    }

    @Test
    void a_full_queue_does_not_split_the_other_writes_into_single_calls() {
        var calls = new ArrayList<Integer>();
        int room = 3;
        var stored = new ArrayList<String>();
        var turn = new CountDownLatch(1);
        Function<List<String>, List<String>> bounded = batch -> {
            awaitTurn(turn);
            calls.add(batch.size());
            long more = batch.stream().filter(text -> text.startsWith("full")).count();
            long there = stored.stream().filter(text -> text.startsWith("full")).count();
            if (there + more > room) {
                throw new LonghaulException(ErrorCode.RESOURCE_EXHAUSTED, "full");
            }
            stored.addAll(batch);
            return batch;
        };
        var queues = new SharedWrites<String, String>(
                bounded, bounded, text -> text, text -> text.substring(0, text.indexOf(' ')));
        var results = new ArrayList<CompletableFuture<String>>();
        for (int i = 0; i < 400; i++) {
            String write = (i % 2 == 0 ? "full " : "free ") + i;
            var result = new CompletableFuture<String>();
            results.add(result);
            awaitParked(start(() -> queues.write(write), result));
        }
        turn.countDown();
        for (int i = 0; i < results.size(); i++) {
            if (i % 2 == 1) {
                assertThat(results.get(i)).succeedsWithin(20, TimeUnit.SECONDS);
            }
        }
        assertThat(stored.stream().filter(text -> text.startsWith("full"))).hasSize(room);
        assertThat(calls).as("calls of the store for 400 writes").hasSizeLessThan(40);
    }

    private static void awaitTurn(CountDownLatch turn) {
        try {
            turn.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
