package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SharedTest {
    private final ExecutorService callers = Executors.newCachedThreadPool();
    private final List<List<String>> batches = Collections.synchronizedList(new ArrayList<>());
    private final Semaphore begun = new Semaphore(0);
    private final Semaphore goOn = new Semaphore(0);
    private final Shared<String, String> shared = new Shared<>(this::store, text -> text.charAt(0));

    @AfterEach
    void close() {
        callers.shutdownNow();
    }

    /** Waits until it is told to go on, each time it is called. */
    private List<String> store(List<String> batch) {
        batches.add(batch);
        begun.release();
        goOn.acquireUninterruptibly();
        if (batch.contains("refused")) {
            throw new LonghaulException(ErrorCode.INVALID_ARGUMENT, "refused");
        }
        if (batch.contains("away")) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "away");
        }
        return batch.stream().map(text -> text + "!").toList();
    }

    /** Lets somebody write alone, and the others gather behind it until the second batch has begun. */
    private List<Future<String>> gathered(String... writes) throws InterruptedException {
        var answers = new ArrayList<Future<String>>();
        answers.add(callers.submit(() -> shared.write("first")));
        begun.acquire();
        for (String write : writes) {
            answers.add(callers.submit(() -> shared.write(write)));
        }
        while (shared.waiting() < writes.length) {
            Thread.onSpinWait();
        }
        goOn.release();
        begun.acquire();
        return answers;
    }

    private static String answer(Future<String> future) throws Exception {
        return future.get(20, TimeUnit.SECONDS);
    }

    @Test
    void those_who_come_meanwhile_share_the_next_write() throws Exception {
        List<Future<String>> answers = gathered("a", "b", "c");

        assertThat(answer(answers.get(0)))
                .as("while the next batch is being written")
                .isEqualTo("first!");
        assertThat(answers.subList(1, 4)).noneMatch(Future::isDone);
        goOn.release();
        assertThat(answer(answers.get(1)) + answer(answers.get(2)) + answer(answers.get(3)))
                .isEqualTo("a!b!c!");
        assertThat(batches).hasSize(2);
        assertThat(batches.get(1)).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    void writes_about_the_same_are_apart_and_whoever_is_done_does_not_wait_for_the_rest() throws Exception {
        List<Future<String>> answers = gathered("a1", "a2", "b");
        goOn.release();
        begun.acquire();

        assertThat(answer(answers.get(3)))
                .as("while the last batch is being written")
                .isEqualTo("b!");
        goOn.release();
        assertThat(answer(answers.get(1)) + answer(answers.get(2))).isEqualTo("a1!a2!");
        assertThat(batches).hasSize(3);
        assertThat(batches.get(1)).hasSize(2).contains("b");
    }

    @Test
    void only_the_culprit_is_refused() throws Exception {
        List<Future<String>> answers = gathered("a", "refused", "b");
        goOn.release(4);

        assertThat(answer(answers.get(1)) + answer(answers.get(3))).isEqualTo("a!b!");
        assertThatThrownBy(() -> answer(answers.get(2)))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("refused");
    }

    @Test
    void all_are_told_that_the_store_is_away() throws Exception {
        List<Future<String>> answers = gathered("b", "away", "c");
        goOn.release();

        for (Future<String> one : answers.subList(1, 4)) {
            assertThatThrownBy(() -> answer(one))
                    .isInstanceOf(ExecutionException.class)
                    .hasRootCauseMessage("away");
        }
        assertThat(batches).hasSize(2);
    }
}
