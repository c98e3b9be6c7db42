package dev.longhaul.observe;

import dev.longhaul.schedule.Fire;
import dev.longhaul.schedule.Firing;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.schedule.ScheduleSpec;
import dev.longhaul.store.Leadership;
import dev.longhaul.store.PastFire;
import dev.longhaul.store.SchedulePage;
import dev.longhaul.store.ScheduleStore;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Schedules whose fires are counted and timed, and the jobs that they make counted. */
final class MeteredSchedules implements ScheduleStore {
    private final ScheduleStore store;
    private final Meters meters;

    MeteredSchedules(ScheduleStore store, Meters meters) {
        this.store = store;
        this.meters = meters;
    }

    private void count(List<Fire> fires, Map<String, String> definitions) {
        for (Fire fire : fires) {
            meters.fired(fire);
            String definition = definitions.get(fire.scheduleKey());
            if (fire.jobId() != null && definition != null) {
                meters.definition(definition).enqueued().increment();
            }
        }
    }

    /** Asked by somebody, so that one more look does not matter. */
    private void count(List<Fire> fires, String key) {
        store.find(key).ifPresent(schedule -> count(fires, Map.of(key, definition(schedule))));
    }

    private static String definition(Schedule schedule) {
        return schedule.spec().job().definition().key();
    }

    @Override
    public Fired fire(Leadership leadership, List<Firing> firings) {
        Fired done = store.fire(leadership, firings);
        if (!done.fires().isEmpty()) {
            var definitions = new HashMap<String, String>();
            firings.forEach(firing -> definitions.put(firing.key(), definition(firing.schedule())));
            count(done.fires(), definitions);
        }
        return done;
    }

    @Override
    public Fire trigger(String key, @Nullable String by) {
        Fire fire = store.trigger(key, by);
        count(List.of(fire), key);
        return fire;
    }

    @Override
    public List<Fire> backfill(String key, List<Instant> fireTimes, Duration apart, @Nullable String by) {
        List<Fire> fires = store.backfill(key, fireTimes, apart, by);
        count(fires, key);
        return fires;
    }

    // What is not counted

    @Override
    public Schedule create(ScheduleSpec spec, boolean paused, @Nullable String by) {
        return store.create(spec, paused, by);
    }

    @Override
    public Schedule upsert(ScheduleSpec spec, boolean paused) {
        return store.upsert(spec, paused);
    }

    @Override
    public Optional<Schedule> edit(
            ScheduleSpec before, ScheduleSpec after, @Nullable Boolean enabled, @Nullable String by) {
        return store.edit(before, after, enabled, by);
    }

    @Override
    public Schedule pause(String key, @Nullable String by, @Nullable String note) {
        return store.pause(key, by, note);
    }

    @Override
    public Schedule resume(String key) {
        return store.resume(key);
    }

    @Override
    public void delete(String key) {
        store.delete(key);
    }

    @Override
    public Optional<Schedule> find(String key) {
        return store.find(key);
    }

    @Override
    public SchedulePage list(@Nullable String after, int limit) {
        return store.list(after, limit);
    }

    @Override
    public List<PastFire> fires(String key, @Nullable Instant before, int limit) {
        return store.fires(key, before, limit);
    }

    @Override
    public Due due(int max) {
        return store.due(max);
    }

    @Override
    public Optional<Duration> untilNextDue() {
        return store.untilNextDue();
    }

    @Override
    public List<HeldJob> held(@Nullable HeldJob after, int max) {
        return store.held(after, max);
    }
}
