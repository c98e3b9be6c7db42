package dev.longhaul.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.job.JobId;
import dev.longhaul.spi.Signal;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ChangesTest {
    private final Changes changes = new Changes();

    @Test
    void are_announced_once_until_they_are_taken() {
        assertThat(changes.add(JobId.next())).isTrue();
        assertThat(changes.add(JobId.next())).isFalse();
        assertThat(changes.take()).hasSize(1);
        assertThat(changes.add(JobId.next())).isTrue();
    }

    @Test
    void of_one_job_are_sent_once() {
        JobId id = JobId.next();
        changes.add(id);
        changes.add(id);

        assertThat(changes.take()).containsExactly(new Signal(Signal.Kind.CHANGED, id.toString()));
        assertThat(changes.take()).isEmpty();
    }

    @Test
    void fill_at_most_three_signals() {
        IntStream.range(0, 450).forEach(i -> changes.add(JobId.next()));
        List<Signal> announced = changes.take();
        assertThat(announced).hasSize(3).allMatch(signal -> signal.subject().split(",").length == 150);
        assertThat(announced).allMatch(signal -> signal.subject().length() < 7000);

        IntStream.range(0, 451).forEach(i -> changes.add(JobId.next()));
        assertThat(changes.take()).containsExactly(new Signal(Signal.Kind.CHANGED, "*"));
        assertThat(changes.take()).isEmpty();
        changes.add(JobId.next());
        assertThat(changes.take()).hasSize(1);
    }

    /** Each caller whose add returns true takes; after all have done so, no change may be left unannounced. */
    @Test
    void get_lost_in_no_race() throws InterruptedException {
        Set<String> announced = ConcurrentHashMap.newKeySet();
        Set<String> added = ConcurrentHashMap.newKeySet();
        var stars = new AtomicInteger();
        Runnable adder = () -> {
            for (int i = 0; i < 20_000; i++) {
                JobId id = JobId.next();
                added.add(id.toString());
                if (changes.add(id)) {
                    for (Signal signal : changes.take()) {
                        stars.addAndGet(signal.subject().equals("*") ? 1 : 0);
                        announced.addAll(List.of(signal.subject().split(",")));
                    }
                }
            }
        };
        List<Thread> threads = List.of(new Thread(adder), new Thread(adder), new Thread(adder));
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        var unannounced = new HashSet<>(added);
        unannounced.removeAll(announced);
        assertThat(stars.get() > 0 || unannounced.isEmpty())
                .as("%s unannounced, %s stars", unannounced.size(), stars)
                .isTrue();
    }
}
