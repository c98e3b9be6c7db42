package dev.longhaul.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.job.JobStatus;
import dev.longhaul.queue.Pause;
import dev.longhaul.queue.QueueStats;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class QueueGaugesTest {
    private static final Pause PAUSE = new Pause(Instant.EPOCH, null, null);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final QueueGauges gauges = new QueueGauges(registry, 2);

    private static QueueStats queue(String name, int queued, @Nullable Pause pause, int oldestDue) {
        return new QueueStats(
                name,
                queued == 0 ? Map.of() : Map.of(JobStatus.QUEUED, (long) queued),
                oldestDue == 0 ? null : Duration.ofSeconds(oldestDue),
                pause,
                null);
    }

    private Map<String, Double> told(String name) {
        var told = new TreeMap<String, Double>();
        for (Gauge gauge : registry.find(name).gauges()) {
            String status = gauge.getId().getTag("status");
            if (status == null || status.equals("queued")) {
                told.put(String.valueOf(gauge.getId().getTag("queue")), gauge.value());
            }
        }
        return told;
    }

    private Map<String, Double> oldest() {
        return told("longhaul.queue.oldest.due");
    }

    @Test
    void those_that_wait_longest_are_told_by_name_and_the_rest_together() {
        gauges.show(List.of(
                queue("a", 1, null, 10), queue("b", 2, null, 30), queue("c", 3, null, 5), queue("d", 4, null, 20)));
        assertThat(oldest()).isEqualTo(Map.of("b", 30.0, "d", 20.0, "(other)", 10.0));
        assertThat(told("longhaul.queue.jobs")).isEqualTo(Map.of("b", 2.0, "d", 4.0, "(other)", 4.0));
    }

    @Test
    void one_that_is_gone_is_told_no_more_and_makes_room() {
        gauges.show(List.of(queue("a", 1, null, 10), queue("b", 1, null, 10)));
        gauges.show(List.of(queue("c", 1, null, 10), queue("b", 1, null, 10)));
        assertThat(oldest()).containsOnlyKeys("b", "c");
        assertThat(told("longhaul.queue.jobs")).containsOnlyKeys("b", "c");
        assertThat(told("longhaul.queue.paused")).containsOnlyKeys("b", "c");
    }

    @Test
    void one_without_jobs_goes_behind_those_that_have_some() {
        gauges.show(List.of(queue("a", 0, null, 0), queue("b", 1, null, 0), queue("c", 1, null, 0)));
        assertThat(oldest()).isEqualTo(Map.of("b", 0.0, "c", 0.0, "(other)", 0.0));
    }

    @Test
    void one_that_is_paused_says_so_and_goes_behind_those_that_are_late() {
        gauges.show(List.of(queue("a", 1, PAUSE, 90), queue("b", 1, null, 10)));
        assertThat(told("longhaul.queue.paused")).isEqualTo(Map.of("a", 1.0, "b", 0.0));
        assertThat(oldest()).isEqualTo(Map.of("a", 90.0, "b", 10.0));

        gauges.show(List.of(
                queue("a", 1, PAUSE, 90), queue("b", 1, null, 10), queue("c", 1, null, 20), queue("d", 1, null, 5)));
        assertThat(oldest()).as("nobody is late by 90 s").isEqualTo(Map.of("c", 20.0, "b", 10.0, "(other)", 5.0));
        assertThat(told("longhaul.queue.paused")).containsOnlyKeys("b", "c");
    }

    @Test
    void any_number_of_them_that_came_and_went_leaves_the_next_one_its_name() {
        IntStream.range(0, 10).forEach(i -> gauges.show(List.of(queue("short-lived-" + i, 1, null, 1))));
        assertThat(oldest()).containsOnlyKeys("short-lived-9");
    }
}
