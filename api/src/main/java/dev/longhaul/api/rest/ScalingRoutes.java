package dev.longhaul.api.rest;

import dev.longhaul.access.Role;
import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Query;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.internal.text.Names;
import dev.longhaul.job.JobStatus;
import dev.longhaul.queue.QueueStats;
import dev.longhaul.spi.QueueStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Serves the data that an autoscaler needs: the load of queues, and how many workers they need. */
public final class ScalingRoutes {
    private static final int MOST_SLOTS = 10_000;
    private static final int LONGEST_TARGET = 86_400;

    private final QueueStore queues;

    public ScalingRoutes(QueueStore queues) {
        this.queues = queues;
    }

    public List<Route> routes() {
        return List.of(Route.get("/v1/scaling", Role.VIEWER, this::scaling));
    }

    private Response scaling(Call call) {
        Query query = call.query();
        List<String> names = query.list("queues");
        names.stream().filter(name -> !Names.valid(name)).forEach(name -> query.problem("queues", name, Names.RULE));
        int slots = query.number("slotsPerWorker", 1, 1, MOST_SLOTS);
        var target = Duration.ofSeconds(query.number("targetSeconds", 0, 0, LONGEST_TARGET));
        query.done();
        List<QueueLoad> loads = loads(names);
        return Answer.ok(out -> out.object(() -> {
            out.number("workers", QueueLoad.workers(loads, slots, target));
            out.number("due", loads.stream().mapToLong(QueueLoad::due).sum());
            out.number("running", loads.stream().mapToLong(QueueLoad::running).sum());
            out.number("oldestDueSeconds", seconds(QueueLoad.oldestDue(loads)));
            out.list("queues", loads, one -> write(out, one));
        }));
    }

    /** Returns the load of these queues, in this order; of all queues if the list is empty. */
    private List<QueueLoad> loads(List<String> names) {
        List<QueueStats> all = queues.all();
        if (names.isEmpty()) {
            return all.stream().map(QueueLoad::of).toList();
        }
        Map<String, QueueStats> byName = all.stream().collect(Collectors.toMap(QueueStats::queue, Function.identity()));
        return names.stream()
                .distinct()
                .map(name -> byName.getOrDefault(name, new QueueStats(name, Map.of(), null, null, null)))
                .map(QueueLoad::of)
                .toList();
    }

    private static void write(Answer out, QueueLoad load) {
        out.object(() -> {
            out.text("name", load.queue());
            out.number("due", load.due());
            out.number("running", load.running());
            out.number("oldestDueSeconds", seconds(load.oldestDue()));
            out.flag("paused", load.paused());
            out.flag("estimated", load.estimated());
        });
    }

    private static Double seconds(@Nullable Duration age) {
        return age == null ? Double.valueOf(0) : Double.valueOf(age.toMillis() / 1e3);
    }

    /**
     * The load of one queue. The due count of a paused queue is 0, because more workers would not help.
     *
     * @param oldestDue how long the oldest due job has been due; null if none is due
     * @param estimated whether {@code due} is estimated from a sample
     */
    record QueueLoad(
            String queue, long due, long running, @Nullable Duration oldestDue, boolean paused, boolean estimated) {
        static QueueLoad of(QueueStats stats) {
            boolean paused = stats.pause() != null;
            Duration oldest = paused ? null : stats.oldestDue();
            // The count may be estimated from a sample that contains no due job of this queue. The age of the oldest
            // due job is exact.
            long due = oldest == null ? 0 : Math.max(1, stats.count(JobStatus.QUEUED));
            long running = stats.count(JobStatus.RUNNING) + stats.count(JobStatus.CANCELLING);
            return new QueueLoad(stats.queue(), due, running, oldest, paused, stats.estimated());
        }

        static @Nullable Duration oldestDue(List<QueueLoad> loads) {
            return loads.stream()
                    .map(QueueLoad::oldestDue)
                    .filter(Objects::nonNull)
                    .max(Duration::compareTo)
                    .orElse(null);
        }

        /**
         * Returns how many workers are needed for the running jobs and for a share of the due jobs. The share grows
         * with the age of the queue's oldest due job; at the target age it contains all due jobs.
         */
        static long workers(List<QueueLoad> loads, int slotsPerWorker, Duration target) {
            double slots =
                    loads.stream().mapToDouble(load -> load.slots(target)).sum();
            return (long) Math.ceil(slots / slotsPerWorker);
        }

        private double slots(Duration target) {
            if (oldestDue == null) {
                return running;
            }
            double share = target.isZero() ? 1 : Math.min(1, (double) oldestDue.toMillis() / target.toMillis());
            // At least 1, so that the first due job starts a worker if there is none.
            return running + Math.max(running == 0 ? 1 : 0, due * share);
        }
    }
}
