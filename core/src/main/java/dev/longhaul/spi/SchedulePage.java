package dev.longhaul.spi;

import dev.longhaul.schedule.Schedule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One page of a list, with the cursor of the next page; the cursor is null on the last page. */
public record SchedulePage(
        List<Schedule> schedules, @Nullable String nextCursor) {
    /**
     * Cuts the first page from the schedules that a store has read.
     *
     * @param found how many schedules exist; the store need not have read all of them
     */
    public static SchedulePage of(List<Schedule> read, int found, int limit) {
        List<Schedule> asked = read.subList(0, Math.min(read.size(), limit));
        List<Schedule> page =
                PageBytes.cut(asked, one -> PageBytes.of(one.spec().job().params()));
        boolean more = page.size() < found;
        return new SchedulePage(
                List.copyOf(page), more ? page.get(page.size() - 1).key() : null);
    }
}
