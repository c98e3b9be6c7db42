package dev.longhaul.engine;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunAheadTest {
    private static final int SLOTS = 4;
    private static final int MANY = 1000;
    private static final long MOST_WORK = MILLISECONDS.toNanos(100);

    private final RunAhead ahead = new RunAhead();
    private long ended;
    private long nanos;

    @Test
    void claims_nothing_ahead_before_it_knows_how_long_jobs_take() {
        assertThat(ahead.jobs(SLOTS)).isZero();
        run(7, 1);
        assertThat(ahead.jobs(SLOTS)).as("after a few jobs").isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {10, 100, 1_000, 10_000, 99_000, 101_000, 10_000_000})
    void claims_no_more_ahead_than_a_tenth_of_a_second_of_work(long micros) {
        run(MANY, MICROSECONDS.toNanos(micros));
        long work = ahead.jobs(SLOTS) * MICROSECONDS.toNanos(micros);
        assertThat(work).isLessThanOrEqualTo(SLOTS * MOST_WORK);
        assertThat(ahead.jobs(0)).as("while all slots have a long job").isZero();
    }

    @Test
    void claims_ahead_as_many_as_fit_into_that_time() {
        run(MANY, MILLISECONDS.toNanos(1));
        assertThat(ahead.jobs(SLOTS)).isEqualTo(SLOTS * 100);
    }

    @Test
    void claims_no_more_ahead_than_two_thousand() {
        run(MANY, 1);
        assertThat(ahead.jobs(SLOTS)).isEqualTo(2000);
    }

    @Test
    void one_long_job_makes_it_careful_at_once() {
        run(MANY, MICROSECONDS.toNanos(10));
        assertThat(ahead.jobs(SLOTS)).isEqualTo(2000);
        nanos += MILLISECONDS.toNanos(800);
        ended++;
        run(9, MICROSECONDS.toNanos(10));
        assertThat(ahead.jobs(SLOTS)).as("at 80 ms each").isBetween(1, 5);
        nanos += SECONDS.toNanos(10);
        ended++;
        run(9, MICROSECONDS.toNanos(10));
        assertThat(ahead.jobs(SLOTS)).isZero();
    }

    @Test
    void short_jobs_have_to_prove_it() {
        run(MANY, SECONDS.toNanos(1));
        run(MANY, MILLISECONDS.toNanos(1));
        assertThat(ahead.jobs(SLOTS)).as("after the first short ones").isZero();
        for (int i = 0; i < 20; i++) {
            run(MANY, MILLISECONDS.toNanos(1));
        }
        assertThat(ahead.jobs(SLOTS)).isBetween(SLOTS * 99, SLOTS * 100);
    }

    private void run(int jobs, long each) {
        ended += jobs;
        nanos += jobs * each;
        ahead.learn(ended, nanos);
    }
}
