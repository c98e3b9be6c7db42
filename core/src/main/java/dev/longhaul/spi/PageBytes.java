package dev.longhaul.spi;

import dev.longhaul.event.EventQuery;
import dev.longhaul.event.JobEvent;
import dev.longhaul.internal.text.Text;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.Limits;
import dev.longhaul.job.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The size of a page. A page ends with the item that brings it to {@link Limits#PAGE_BYTES} or more, so it is never
 * empty while there are items, and holds at most one item beyond that size.
 */
public final class PageBytes {
    private PageBytes() {}

    /** The items of the first page. */
    public static <T> List<T> cut(List<T> items, ToIntFunction<T> bytes) {
        var page = new ArrayList<T>();
        long sum = 0;
        for (T item : items) {
            if (sum >= Limits.PAGE_BYTES) {
                break;
            }
            page.add(item);
            sum += bytes.applyAsInt(item);
        }
        return page;
    }

    /** Whether the store may have more events for that query than the events in {@code page}. */
    public static boolean mayHaveMore(EventQuery query, List<JobEvent> page) {
        return page.size() == query.limit()
                || page.stream().mapToLong(PageBytes::of).sum() >= Limits.PAGE_BYTES;
    }

    public static int of(Job job) {
        return of(job.spec().params()) + of(job.result()) + of(job.failure());
    }

    public static int of(JobEvent event) {
        return of(event.payload());
    }

    public static int of(Run run) {
        return of(run.failure());
    }

    private static int of(@Nullable Failure failure) {
        return failure == null ? 0 : of(failure.message()) + of(failure.stack());
    }

    public static int of(@Nullable String text) {
        return text == null ? 0 : Text.utf8Length(text);
    }
}
