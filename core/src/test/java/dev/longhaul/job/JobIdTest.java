package dev.longhaul.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.text.Uuid7;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobIdTest {
    @Nested
    class Parse {
        @Test
        void reads_what_was_written() {
            JobId id = JobId.next();

            assertThat(JobId.parse(id.toString())).isEqualTo(id);
            assertThat(JobId.parse(id.toString().toUpperCase(Locale.ROOT))).isEqualTo(id);
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "42", "1-1-1-1-1", "0190a9c4-8f2e-7cc3-98c4-dc0c0c07398f ", "not-a-uuid"})
        void rejects_all_other_text(String text) {
            assertThatExceptionOfType(LonghaulException.class)
                    .isThrownBy(() -> JobId.parse(text))
                    .satisfies(refusal ->
                            assertThat(refusal.errors()).extracting("field").containsExactly("jobId"));
        }
    }

    @Nested
    class Order {
        @Test
        void is_that_of_their_bytes_without_signs() {
            var low = new JobId(new UUID(0x0190_0000_0000_7000L, 1));
            var high = new JobId(new UUID(0x8190_0000_0000_7000L, 1));
            var higher = new JobId(new UUID(0x8190_0000_0000_7000L, -1));

            assertThat(List.of(higher, low, high).stream().sorted()).containsExactly(low, high, higher);
        }

        @Test
        void is_the_order_of_creation() {
            List<JobId> made =
                    IntStream.range(0, 10_000).mapToObj(i -> JobId.next()).toList();

            assertThat(made).isSorted().doesNotHaveDuplicates();
        }
    }

    @Nested
    class Made {
        @Test
        void are_uuids_of_version_7_that_contain_their_creation_time() {
            Instant before = Instant.ofEpochMilli(System.currentTimeMillis());
            JobId id = JobId.next();

            assertThat(id.value().version()).isEqualTo(7);
            assertThat(id.value().variant()).isEqualTo(2);
            assertThat(id.madeAt()).isBetween(before, Instant.now().plusSeconds(1));
        }

        @Test
        void rise_while_the_clock_is_stopped_or_set_back() {
            var clock = new AtomicLong(1_000_000);
            var ids = new Uuid7(clock::get);
            var made = new ArrayList<JobId>();
            for (int i = 0; i < 20_000; i++) {
                made.add(new JobId(ids.next()));
                if (i % 1000 == 0) {
                    clock.addAndGet(-3);
                }
            }

            assertThat(made).isSortedAccordingTo(Comparator.naturalOrder()).doesNotHaveDuplicates();
            assertThat(made).allMatch(id -> id.value().version() == 7);
        }

        @Test
        void rise_on_each_thread_and_are_unique_over_all() throws InterruptedException, ExecutionException {
            var ids = new Uuid7(() -> 1_000_000);
            var threads = Executors.newFixedThreadPool(8);
            Callable<List<JobId>> maker = () -> IntStream.range(0, 5000)
                    .mapToObj(i -> new JobId(ids.next()))
                    .toList();
            var all = new HashSet<JobId>();
            for (var made : threads.invokeAll(Collections.nCopies(8, maker))) {
                assertThat(made.get()).isSorted();
                all.addAll(made.get());
            }
            threads.shutdown();

            assertThat(all).hasSize(8 * 5000);
        }

        @Test
        void are_not_below_the_lowest_of_their_millisecond() {
            var lowest = new JobId(Uuid7.lowest(1_000_000));
            var id = new JobId(new Uuid7(() -> 1_000_000).next());

            assertThat(id).isGreaterThan(lowest).isLessThan(new JobId(Uuid7.lowest(1_000_001)));
        }
    }

    @Nested
    class Claims {
        @Test
        void do_not_show_their_key() {
            var claim = new Claim(JobId.next(), 3, Claim.newKey());

            assertThat(claim.toString())
                    .contains(claim.jobId().toString(), "3")
                    .doesNotContain(claim.key().toString());
        }
    }
}
