package dev.longhaul.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.event.EventType;
import dev.longhaul.event.NewEvent;
import dev.longhaul.job.Progress;
import dev.longhaul.job.Step;
import dev.longhaul.work.Verdict;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ReportTest {
    private final LiveRun run = new Workbench().claimed();
    private final Report report = run.report();

    @Test
    void of_two_results_of_one_step_the_last_is_kept_and_both_futures_complete() {
        var first = report.step(new Step("fetch", "1"));
        var second = report.step(new Step("fetch", "2"));
        Report.Part part = taken();
        assertThat(part.update().steps()).containsExactly(new Step("fetch", "2"));
        part.complete(Verdict.WON);
        assertThat(first).isCompletedWithValue(Verdict.WON);
        assertThat(second).isCompletedWithValue(Verdict.WON);
    }

    @Test
    void only_the_last_progress_counts_and_events_keep_their_order() throws Exception {
        report.progress(new Progress(10, "begun"));
        report.event(EventType.LOG, "1");
        report.progress(new Progress(20, "going on"));
        report.event(EventType.LOG, "2");
        Report.Part part = taken();
        assertThat(part.update().progress()).isEqualTo(new Progress(20, "going on"));
        assertThat(part.update().events()).extracting(NewEvent::sequence).containsExactly(1, 2);
        assertThat(report.take(run)).as("remaining reports").isNull();
    }

    @Test
    void close_completes_waiting_and_later_steps_as_lost() throws Exception {
        var waiting = report.step(new Step("fetch", "1"));
        report.close();
        assertThat(waiting).isCompletedWithValue(Verdict.LOST);
        assertThat(report.step(new Step("late", "1"))).isCompletedWithValue(Verdict.LOST);
        assertThat(report.event(EventType.LOG, "late")).isFalse();
    }

    private Report.Part taken() {
        return Objects.requireNonNull(report.take(run));
    }
}
