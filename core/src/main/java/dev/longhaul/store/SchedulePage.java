package dev.longhaul.store;

import dev.longhaul.schedule.Schedule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One page of a list, and the cursor of the next; null when this is the last. */
public record SchedulePage(
        List<Schedule> schedules, @Nullable String nextCursor) {
    /** Of what was found, which is one more than asked for if there is a next page. */
    public static SchedulePage of(List<Schedule> found, int limit) {
        boolean more = found.size() > limit;
        List<Schedule> page = List.copyOf(more ? found.subList(0, limit) : found);
        return new SchedulePage(page, more ? page.get(limit - 1).key() : null);
    }
}
