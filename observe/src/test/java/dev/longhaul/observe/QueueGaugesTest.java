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

    private Map<String, Double> values(String name) {
        var values = new TreeMap<String, Double>();
        for (Gauge gauge : registry.find(name).gauges()) {
            String status = gauge.getId().getTag("status");
            if (status == null || status.equals("queued")) {
                values.put(String.valueOf(gauge.getId().getTag("queue")), gauge.value());
            }
        }
        return values;
    }

    private Map<String, Double> oldest() {
        return values("longhaul.queue.oldest.due");
    }

    @Test
    void queues_with_the_longest_wait_are_reported_by_name_and_others_together() {
        gauges.show(List.of(
                queue("a", 1, null, 10), queue("b", 2, null, 30), queue("c", 3, null, 5), queue("d", 4, null, 20)));
        assertThat(oldest()).isEqualTo(Map.of("b", 30.0, "d", 20.0, "(other)", 10.0));
        assertThat(values("longhaul.queue.jobs")).isEqualTo(Map.of("b", 2.0, "d", 4.0, "(other)", 4.0));
    }

    @Test
    void a_removed_queue_is_no_longer_reported_and_makes_room() {
        gauges.show(List.of(queue("a", 1, null, 10), queue("b", 1, null, 10)));
        gauges.show(List.of(queue("c", 1, null, 10), queue("b", 1, null, 10)));
        assertThat(oldest()).containsOnlyKeys("b", "c");
        assertThat(values("longhaul.queue.jobs")).containsOnlyKeys("b", "c");
        assertThat(values("longhaul.queue.paused")).containsOnlyKeys("b", "c");
    }

    @Test
    void a_queue_without_jobs_comes_after_queues_with_jobs() {
        gauges.show(List.of(queue("a", 0, null, 0), queue("b", 1, null, 0), queue("c", 1, null, 0)));
        assertThat(oldest()).isEqualTo(Map.of("b", 0.0, "c", 0.0, "(other)", 0.0));
    }

    @Test
    void a_paused_queue_is_marked_and_comes_after_late_ones() {
        gauges.show(List.of(queue("a", 1, PAUSE, 90), queue("b", 1, null, 10)));
        assertThat(values("longhaul.queue.paused")).isEqualTo(Map.of("a", 1.0, "b", 0.0));
        assertThat(oldest()).isEqualTo(Map.of("a", 90.0, "b", 10.0));

        gauges.show(List.of(
                queue("a", 1, PAUSE, 90), queue("b", 1, null, 10), queue("c", 1, null, 20), queue("d", 1, null, 5)));
        assertThat(oldest())
                .as("the paused queue does not count as late")
                .isEqualTo(Map.of("c", 20.0, "b", 10.0, "(other)", 5.0));
        assertThat(values("longhaul.queue.paused")).containsOnlyKeys("b", "c");
    }

    @Test
    void many_former_queues_do_not_take_the_name_of_a_new_one() {
        IntStream.range(0, 10).forEach(i -> gauges.show(List.of(queue("short-lived-" + i, 1, null, 1))));
        assertThat(oldest()).containsOnlyKeys("short-lived-9");
    }
}
