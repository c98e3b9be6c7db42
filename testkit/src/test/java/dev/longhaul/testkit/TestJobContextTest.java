package dev.longhaul.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobStoppedException;
import dev.longhaul.SnoozeException;
import dev.longhaul.job.Progress;
import dev.longhaul.json.TypeRef;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TestJobContextTest {
    record Import(String url) {}

    record Imported(int rows, int attempt) {}

    private final JobDefinition<Import, Imported> definition = JobDefinition.of(
                    "test.import", Import.class, Imported.class)
            .handler((params, context) -> {
                List<String> rows = context.step("read", new TypeRef<List<String>>() {}, () -> List.of("a", "b"));
                context.throwIfCancelled();
                if (context.draining()) {
                    throw context.snooze(Duration.ofMinutes(1));
                }
                context.progress(50, "half");
                context.log().with("rows", rows).with("url", params.url()).warn("read");
                context.log().info("{} rows of {}", rows.size(), params.url());
                context.emit("imported", rows);
                return new Imported(rows.size(), context.attempt());
            });

    private final TestJobContext context = TestJobContext.of(definition);

    @Test
    void records_reports_of_the_handler() throws Exception {
        assertThat(context.call(definition, new Import("here"))).isEqualTo(new Imported(2, 1));

        assertThat(context.steps()).containsExactly("read");
        assertThat(context.progress()).containsExactly(new Progress(50, "half"));
        assertThat(context.logged()).containsExactly("warn: read rows=[\"a\",\"b\"] url=here", "info: 2 rows of here");
        assertThat(context.emitted()).containsExactly(new TestJobContext.Emitted("imported", "[\"a\",\"b\"]"));
    }

    @Test
    void a_later_attempt_has_the_steps_of_the_earlier_ones() throws Exception {
        context.withAttempt(2).withStep("read", List.of("a"));

        assertThat(context.call(definition, new Import("here"))).isEqualTo(new Imported(1, 2));
    }

    @Test
    void the_deadline_stays_until_the_test_sets_another() {
        Instant deadline = context.deadline();
        Instant read = Instant.now();
        while (!Instant.now().isAfter(read)) {
            Thread.onSpinWait();
        }
        assertThat(context.deadline()).isEqualTo(deadline);

        assertThat(context.withDeadline(Instant.EPOCH).deadline()).isEqualTo(Instant.EPOCH);
    }

    @Test
    void cancelling_stops_the_handler_and_calls_its_callbacks() {
        var called = new ArrayList<String>();
        context.onCancel(() -> called.add("before"));
        context.cancel();
        context.onCancel(() -> called.add("after"));

        assertThat(called).containsExactly("before", "after");
        assertThatThrownBy(() -> context.call(definition, new Import("here"))).isInstanceOf(JobStoppedException.class);
    }

    @Test
    void a_draining_worker_is_seen_by_the_handler() {
        context.drain();

        assertThatThrownBy(() -> context.call(definition, new Import("here"))).isInstanceOf(SnoozeException.class);
    }

    @Test
    void the_error_for_a_missing_data_source_says_how_to_set_one() {
        assertThatThrownBy(context::dataSource).hasMessageContaining("TestJobContext.withDataSource");
    }
}
