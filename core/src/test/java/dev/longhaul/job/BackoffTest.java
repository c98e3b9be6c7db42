package dev.longhaul.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.longhaul.error.LonghaulException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class BackoffTest {
    private static final long SEED = 42;

    @Nested
    class Ceiling {
        @Test
        void doubles_up_to_the_cap() {
            assertThat(Backoff.DEFAULT.ceiling(1)).isEqualTo(Duration.ofSeconds(1));
            assertThat(Backoff.DEFAULT.ceiling(2)).isEqualTo(Duration.ofSeconds(2));
            assertThat(Backoff.DEFAULT.ceiling(9)).isEqualTo(Duration.ofSeconds(256));
            assertThat(Backoff.DEFAULT.ceiling(10)).isEqualTo(Duration.ofMinutes(5));
        }

        @Test
        void stays_at_the_cap_however_many_attempts_there_were() {
            assertThat(Backoff.DEFAULT.ceiling(Integer.MAX_VALUE)).isEqualTo(Duration.ofMinutes(5));
        }

        @Test
        void of_zero_attempts_equals_that_of_the_first() {
            assertThat(Backoff.DEFAULT.ceiling(0)).isEqualTo(Duration.ofSeconds(1));
        }
    }

    @Nested
    class Delay {
        @Test
        void is_spread_evenly_from_zero_to_the_ceiling() {
            var random = new Random(SEED);
            int draws = 20_000;
            var tenths = new int[10];
            for (int i = 0; i < draws; i++) {
                Duration delay = Backoff.DEFAULT.delay(4, random);
                assertThat(delay).isBetween(Duration.ZERO, Duration.ofSeconds(8));
                tenths[(int) Math.min(9, delay.toMillis() / 800)]++;
            }

            for (int count : tenths) {
                assertThat(count).isCloseTo(draws / 10, within(draws / 100));
            }
        }

        @Test
        void is_zero_when_the_backoff_is_zero() {
            var none = new Backoff(Duration.ZERO, 1, Duration.ZERO);

            assertThat(none.delay(5, new Random(SEED))).isZero();
        }
    }

    @Nested
    class Values {
        @Test
        void that_are_invalid_are_all_reported_at_once() {
            assertThatExceptionOfType(LonghaulException.class)
                    .isThrownBy(() -> new Backoff(Duration.ofSeconds(-1), 0.5, Duration.ofSeconds(-2)))
                    .satisfies(refusal -> assertThat(refusal.errors())
                            .extracting("field")
                            .containsExactly("initial", "factor", "cap"));
        }
    }

    @Nested
    class Policy {
        private final Backoff quick = new Backoff(Duration.ofMillis(10), 1, Duration.ofMillis(10));

        @Test
        void without_rules_retries_everything() {
            assertThat(RetryPolicy.DEFAULT.delayAfter(new IOException(), 1, new Random(SEED)))
                    .hasValueSatisfying(delay -> assertThat(delay).isBetween(Duration.ZERO, Duration.ofSeconds(1)));
        }

        @Test
        void gives_up_on_errors_that_are_not_retryable_and_their_subtypes() {
            RetryPolicy policy = RetryPolicy.DEFAULT.never(IOException.class);

            assertThat(policy.delayAfter(new FileNotFoundException(), 1, new Random(SEED)))
                    .isEmpty();
            assertThat(policy.delayAfter(new IllegalStateException(), 1, new Random(SEED)))
                    .isPresent();
        }

        @Test
        void uses_the_backoff_of_the_first_rule_that_fits() {
            RetryPolicy policy = RetryPolicy.of(Backoff.DEFAULT)
                    .on(FileNotFoundException.class, quick)
                    .never(IOException.class);

            assertThat(policy.delayAfter(new FileNotFoundException(), 9, new Random(SEED)))
                    .hasValueSatisfying(delay -> assertThat(delay).isLessThanOrEqualTo(Duration.ofMillis(10)));
            assertThat(policy.delayAfter(new IOException(), 9, new Random(SEED)))
                    .isEmpty();
        }

        @Test
        void is_not_changed_by_building_on_it() {
            RetryPolicy stricter = RetryPolicy.DEFAULT.never(IOException.class);

            assertThat(stricter.rules()).hasSize(1);
            assertThat(RetryPolicy.DEFAULT.rules()).isEmpty();
        }
    }
}
