package dev.longhaul.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class BackgroundLoopTest {
    private final String name = "test-" + UUID.randomUUID();
    private final Semaphore work = new Semaphore(0);
    private final Semaphore done = new Semaphore(0);
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Queue<Throwable> planted = new ArrayDeque<>();
    private BackgroundLoop loop = BackgroundLoop.helper(name + "-none", () -> false);

    @AfterEach
    void close() {
        closed.set(true);
        work.release(1000);
        loop.close(1000);
    }

    private boolean pass() throws InterruptedException {
        Throwable next;
        synchronized (planted) {
            next = planted.poll();
        }
        if (next != null) {
            BackgroundLoopTest.<RuntimeException>sneak(next);
        }
        work.acquire();
        done.release();
        return !closed.get();
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> void sneak(Throwable any) throws T {
        throw (T) any;
    }

    @Nested
    class Survives {
        @Test
        void every_throwable() throws Exception {
            List<Throwable> all = List.of(
                    new OutOfMemoryError("planted"),
                    new StackOverflowError("planted"),
                    new NoClassDefFoundError("planted"),
                    new IllegalStateException("planted"),
                    new Exception("planted"),
                    new Unspeakable());
            planted.addAll(all);
            loop = BackgroundLoop.vital(name, BackgroundLoopTest.this::pass);
            work.release();
            done.acquire();
            assertThat(Loops.failures(name)).isEqualTo(all.size());
        }

        @Test
        void an_interrupt_that_did_not_come_from_its_owner() throws Exception {
            planted.add(new InterruptedException("planted"));
            loop = BackgroundLoop.vital(name, () -> {
                boolean more = pass();
                Thread.currentThread().interrupt();
                return more;
            });
            for (int i = 0; i < 3; i++) {
                work.release();
                done.acquire();
            }
        }
    }

    /** An exception that throws when a logger reads its message. */
    private static final class Unspeakable extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("planted");
        }
    }

    @Nested
    class Health {
        @Test
        void names_a_vital_loop_while_it_fails() throws Exception {
            var broken = new AtomicBoolean(true);
            loop = BackgroundLoop.vital(name, () -> {
                if (broken.get()) {
                    throw new NoClassDefFoundError("planted");
                }
                return pass();
            });
            await(() -> Loops.failures(name) >= 2);
            assertThat(Loops.down()).contains(name + ": failing (java.lang.NoClassDefFoundError)");
            broken.set(false);
            work.release();
            done.acquire();
            await(() -> ofThis().isEmpty());
        }

        @Test
        void is_restored_when_the_loop_waits_for_work_again() {
            planted.add(new OutOfMemoryError("planted"));
            loop = BackgroundLoop.vital(name, BackgroundLoopTest.this::pass);
            await(() -> !ofThis().isEmpty());
            await(() -> ofThis().isEmpty());
            assertThat(Loops.failures(name)).isEqualTo(1);
        }

        @Test
        void does_not_depend_on_helpers() {
            planted.add(new OutOfMemoryError("planted"));
            loop = BackgroundLoop.helper(name, BackgroundLoopTest.this::pass);
            await(() -> Loops.failures(name) == 1);
            assertThat(ofThis()).isEmpty();
        }

        @Test
        void does_not_count_an_unavailable_store_as_a_failing_loop() throws Exception {
            planted.add(new LonghaulException(ErrorCode.UNAVAILABLE, "planted"));
            loop = BackgroundLoop.vital(name, BackgroundLoopTest.this::pass);
            work.release();
            done.acquire();
            assertThat(Loops.failures(name)).isZero();
        }

        private List<String> ofThis() {
            return Loops.down().stream().filter(one -> one.startsWith(name)).toList();
        }
    }

    @Nested
    class Ends {
        @Test
        void when_its_pass_returns_false() {
            closed.set(true);
            work.release();
            var ended = new CountDownLatch(1);
            loop = BackgroundLoop.vital(name, BackgroundLoopTest.this::pass, ended::countDown);
            await(() -> ended.getCount() == 0);
            assertThat(loop.close(10_000)).isTrue();
            assertThat(Loops.down()).noneMatch(one -> one.startsWith(name));
        }

        @Test
        void when_its_owner_closes_it_in_the_middle_of_a_wait() throws Exception {
            var ended = new CountDownLatch(1);
            loop = BackgroundLoop.vital(name, BackgroundLoopTest.this::pass, ended::countDown);
            loop.close(1);
            assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
        }

        @Test
        void when_its_owner_closes_it_in_the_middle_of_failures() throws Exception {
            loop = BackgroundLoop.vital(name, () -> {
                throw new IllegalStateException("planted");
            });
            loop.interrupt();
            assertThat(loop.join(10_000)).isTrue();
        }
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }
}
