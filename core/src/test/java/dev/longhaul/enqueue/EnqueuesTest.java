package dev.longhaul.enqueue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.store.Inserted;
import dev.longhaul.store.JobStore;
import dev.longhaul.store.memory.MemoryStore;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers that share a commit. The first one is held up in the store until the others have gathered behind it. */
@Timeout(60)
class EnqueuesTest {
    private static final int CALLERS = 8;

    private final MemoryStore memory = new MemoryStore();
    private final List<Integer> batches = new CopyOnWriteArrayList<>();
    private final CountDownLatch firstIsThere = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private Function<List<JobSpec>, List<Inserted>> behaviour = memory::insertFresh;
    private final Enqueues enqueues = new Enqueues(store());

    /** The store in memory, except that it gathers callers and behaves as the test says. */
    private JobStore store() {
        return (JobStore) Proxy.newProxyInstance(
                JobStore.class.getClassLoader(), new Class<?>[] {JobStore.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("insertFresh")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    @SuppressWarnings("unchecked")
                    var specs = (List<JobSpec>) arguments[0];
                    batches.add(specs.size());
                    if (batches.size() == 1) {
                        firstIsThere.countDown();
                        goOn.await();
                        return memory.insertFresh(specs);
                    }
                    return behaviour.apply(specs);
                });
    }

    @Test
    void those_who_come_while_one_stores_share_the_next_commit() throws Exception {
        var answers = insertTogether(specs());
        for (var answer : answers) {
            assertThat(memory.find(answer.get().job().id())).isPresent();
        }
        assertThat(batches).containsExactly(1, CALLERS);
    }

    @Test
    void only_the_one_that_the_store_refuses_is_told() throws Exception {
        List<JobSpec> specs = specs();
        JobSpec culprit = specs.get(3);
        var refusal = new LonghaulException(
                ErrorCode.RESOURCE_EXHAUSTED, List.of(new FieldError("queue", "full", "fewer than 10 waiting jobs")));
        behaviour = asked -> {
            if (asked.contains(culprit)) {
                throw refusal;
            }
            return memory.insertFresh(asked);
        };
        var answers = insertTogether(specs);
        for (int i = 0; i < CALLERS; i++) {
            if (specs.get(i).id().equals(culprit.id())) {
                LonghaulException told = (LonghaulException) failure(answers.get(i));
                assertThat(told.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
                assertThat(told.errors()).isEqualTo(refusal.errors());
            } else {
                assertThat(answers.get(i).get().job().id())
                        .isEqualTo(specs.get(i).id());
            }
        }
        assertThat(memory.find(culprit.id())).isEmpty();
        assertThat(batches).hasSize(2 + CALLERS);
    }

    @Test
    void an_error_of_one_is_not_the_others_error() throws Exception {
        List<JobSpec> specs = specs();
        behaviour = asked -> {
            if (asked.contains(specs.get(0))) {
                throw new NoClassDefFoundError("planted");
            }
            return memory.insertFresh(asked);
        };
        var answers = insertTogether(specs);
        assertThat(failure(answers.get(0))).isInstanceOf(NoClassDefFoundError.class);
        for (int i = 1; i < CALLERS; i++) {
            assertThat(answers.get(i).get().job().id()).isEqualTo(specs.get(i).id());
        }
    }

    @Test
    void a_store_out_of_reach_is_told_to_all_and_asked_once() throws Exception {
        behaviour = asked -> {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "database out of reach");
        };
        var answers = insertTogether(specs());
        for (var answer : answers) {
            assertThat(failure(answer)).isInstanceOfSatisfying(LonghaulException.class, e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                assertThat(e).hasMessage("database out of reach");
            });
        }
        assertThat(batches).containsExactly(1, CALLERS);
        behaviour = memory::insertFresh;
        JobSpec next = spec();
        assertThat(enqueues.insert(next).job().id()).isEqualTo(next.id());
    }

    @Test
    void a_caller_who_is_interrupted_gets_its_answer_and_stays_interrupted() throws Exception {
        var first = CompletableFuture.supplyAsync(() -> enqueues.insert(spec()));
        firstIsThere.await();
        var interrupted = new CompletableFuture<Boolean>();
        var caller = new Thread(() -> {
            enqueues.insert(spec());
            interrupted.complete(Thread.currentThread().isInterrupted());
        });
        caller.start();
        caller.interrupt();
        goOn.countDown();
        assertThat(interrupted.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(first.get().job()).isNotNull();
    }

    /** Inserts each from a thread of its own, behind one that is held up until all of them wait. */
    private List<CompletableFuture<Inserted>> insertTogether(List<JobSpec> specs) throws InterruptedException {
        var first = inThread(spec());
        firstIsThere.await();
        var threads = new ArrayList<Thread>();
        var answers = new ArrayList<CompletableFuture<Inserted>>();
        for (JobSpec spec : specs) {
            var answer = new CompletableFuture<Inserted>();
            answers.add(answer);
            threads.add(start(spec, answer));
        }
        while (threads.stream().anyMatch(thread -> thread.getState() != Thread.State.WAITING)) {
            Thread.onSpinWait();
        }
        goOn.countDown();
        assertThat(first.join().job()).isNotNull();
        return answers;
    }

    private CompletableFuture<Inserted> inThread(JobSpec spec) {
        var answer = new CompletableFuture<Inserted>();
        start(spec, answer);
        return answer;
    }

    private Thread start(JobSpec spec, CompletableFuture<Inserted> answer) {
        var thread = new Thread(() -> {
            try {
                answer.complete(enqueues.insert(spec));
            } catch (Throwable e) {
                answer.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static Throwable failure(CompletableFuture<Inserted> answer) throws InterruptedException {
        try {
            throw new AssertionError("it was stored: " + answer.get());
        } catch (ExecutionException e) {
            return Objects.requireNonNull(e.getCause());
        }
    }

    private static List<JobSpec> specs() {
        return IntStream.range(0, CALLERS).mapToObj(i -> spec()).toList();
    }

    private static JobSpec spec() {
        return JobSpec.of(new DefinitionRef("nothing", 1), "{}").build();
    }
}
