package dev.longhaul.contract.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.longhaul.JobQuery;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.RunAt;
import dev.longhaul.spi.JobCounts;
import dev.longhaul.stats.Meter;
import dev.longhaul.stats.Numbers;
import dev.longhaul.stats.SeriesQuery;
import dev.longhaul.stats.StatsStore;
import dev.longhaul.stats.TimeSeries;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests statistics of runs, of failed jobs, and counts of jobs. */
public abstract class StatsContract extends StoreContract {
    private static final SeriesQuery AN_HOUR = new SeriesQuery(HOUR, SeriesQuery.By.NOTHING);

    @Test
    void counts_ends_of_runs() {
        succeeded();
        succeeded();
        failed();
        win(Transition.retry(running(), RunAt.after(HOUR), BOOM));
        win(Transition.snooze(running(), RunAt.after(HOUR)));
        win(Transition.cancelled(cancelling()));

        Numbers all = total(series(AN_HOUR).series().get(0));
        assertThat(all.count(Meter.End.SUCCEEDED)).isEqualTo(2);
        assertThat(all.count(Meter.End.FAILED)).isEqualTo(1);
        assertThat(all.count(Meter.End.RETRIED)).isEqualTo(1);
        assertThat(all.count(Meter.End.CANCELLED)).isEqualTo(1);
    }

    @Test
    void measures_how_long_jobs_waited_and_ran() {
        insert(aJob());
        advance(Duration.ofSeconds(100));
        Claim claim = claimNext().claim();
        advance(Duration.ofSeconds(10));
        win(Transition.succeed(claim, "{}"));

        Numbers all = total(series(AN_HOUR).series().get(0));
        assertThat(present(all.waits().percentile(0.5)).toSeconds()).isBetween(80L, 120L);
        assertThat(present(all.runs().percentile(0.95)).toSeconds()).isBetween(8L, 12L);
    }

    @Test
    void separates_queues_and_definitions() {
        succeeded();
        Claim other = running(aJob(IMPORT));
        win(Transition.succeed(other, "{}"));

        assertThat(series(new SeriesQuery(HOUR, SeriesQuery.By.DEFINITION)).series())
                .extracting(TimeSeries.Series::name)
                .containsExactly("import", "report");
        assertThat(series(new SeriesQuery(HOUR, SeriesQuery.By.QUEUE)).series())
                .extracting(TimeSeries.Series::name)
                .containsExactly(QUEUE);
    }

    @Test
    void has_a_point_for_every_step_even_if_nothing_happened() {
        TimeSeries none = series(AN_HOUR);
        List<TimeSeries.Point> points = none.series().get(0).points();

        assertThat(none.stepSeconds()).isEqualTo(Meter.FINE);
        assertThat(points).hasSize(361);
        assertThat(points.get(360).at()).isAfter(now().minusSeconds(Meter.FINE));
    }

    @Test
    void is_coarser_over_a_longer_time() {
        succeeded();
        TimeSeries week = series(new SeriesQuery(Duration.ofDays(7), SeriesQuery.By.NOTHING));

        assertThat(week.stepSeconds()).isEqualTo(6 * Meter.COARSE);
        assertThat(total(week.series().get(0)).count(Meter.End.SUCCEEDED)).isEqualTo(1);
    }

    @Test
    void is_rejected_for_longer_than_it_is_kept() {
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> new SeriesQuery(Duration.ofDays(31), SeriesQuery.By.NOTHING));
    }

    @Test
    void groups_failed_jobs_by_definition_and_error() {
        for (int i = 0; i < 3; i++) {
            win(Transition.fail(running(), Failure.of(Failure.EXCEPTION, "row " + i + " of 7 is bad")));
        }
        win(Transition.fail(running(aJob(IMPORT)), BOOM));

        StatsStore.Failures found = store().stats().failures(HOUR);
        assertThat(found.complete()).isTrue();
        assertThat(found.groups()).extracting(StatsStore.FailureGroup::jobs).containsExactly(3L, 1L);
        assertThat(found.groups().get(0).message()).as("of none in particular").isEqualTo("row … of … is bad");
        assertThat(found.groups().get(1).definitionKey()).isEqualTo("import");
        assertThat(found.groups().get(1).message()).isEqualTo(BOOM.message());
    }

    @Test
    void separates_exit_codes_and_types_of_exceptions() {
        win(Transition.fail(running(), Failure.of(Failure.EXIT_CODE, "the command ended with exit code 2")));
        win(Transition.fail(running(), Failure.of(Failure.EXIT_CODE, "the command ended with exit code 3")));
        win(Transition.fail(running(), Failure.of(new IllegalStateException("no 'users' in 12"))));
        win(Transition.fail(running(), Failure.of(new IllegalStateException("no 'orders' in 7"))));
        win(Transition.fail(running(), Failure.of(new IllegalArgumentException("no 'users' in 12"))));

        assertThat(store().stats().failures(HOUR).groups())
                .extracting(StatsStore.FailureGroup::type, StatsStore.FailureGroup::message)
                .containsExactlyInAnyOrder(
                        tuple(null, "the command ended with exit code 2"),
                        tuple(null, "the command ended with exit code 3"),
                        tuple(IllegalStateException.class.getName(), "no … in …"),
                        tuple(IllegalArgumentException.class.getName(), "no 'users' in 12"));
    }

    @Test
    void omits_old_and_retried_failures() {
        failed();
        advance(HOUR.plus(SECOND));
        retry(failed(), null);

        assertThat(store().stats().failures(HOUR).groups()).isEmpty();
    }

    @Test
    void counts_all_jobs_and_the_jobs_of_a_filter() {
        oneOfEach();
        insert(aJob(IMPORT).queue("other"));

        JobCounts all = store().jobs().count(JobQuery.ALL);
        assertThat(all.exact()).isTrue();
        assertThat(all.counts().get(JobStatus.QUEUED)).isEqualTo(2);
        assertThat(all.counts()).hasSize(JobStatus.values().length);
        JobCounts some =
                store().jobs().count(JobQuery.where().queue("other").limit(1).build());
        assertThat(some.counts()).containsExactly(Map.entry(JobStatus.QUEUED, 1L));
    }

    private TimeSeries series(SeriesQuery query) {
        store().stats().flush();
        return store().stats().timeSeries(query);
    }

    private static Numbers total(TimeSeries.Series series) {
        var sum = new Numbers();
        series.points().forEach(point -> sum.add(point.numbers()));
        return sum;
    }
}
