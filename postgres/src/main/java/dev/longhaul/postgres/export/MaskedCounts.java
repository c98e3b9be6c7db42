package dev.longhaul.postgres.export;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counts of rows that an export without secrets cannot restore completely.
 *
 * @param jobs unfinished jobs that need their secrets
 */
record MaskedCounts(long jobs, long schedules, long webhooks) {
    private static final Pattern JSON =
            Pattern.compile(".*\\{\"jobs\":([0-9]{1,18}),\"schedules\":([0-9]{1,18}),\"webhooks\":([0-9]{1,18})\\}.*");

    String json() {
        return "{\"jobs\":" + jobs + ",\"schedules\":" + schedules + ",\"webhooks\":" + webhooks + "}";
    }

    /** The counts in the header of an export; zero when its secrets were not masked. */
    static MaskedCounts in(String header) {
        Matcher found = JSON.matcher(header);
        return found.matches()
                ? new MaskedCounts(
                        Long.parseLong(found.group(1)), Long.parseLong(found.group(2)), Long.parseLong(found.group(3)))
                : new MaskedCounts(0, 0, 0);
    }

    boolean any() {
        return jobs + schedules + webhooks > 0;
    }

    @Override
    public String toString() {
        List<String> parts = new ArrayList<>();
        add(parts, jobs, "unfinished job");
        add(parts, schedules, "schedule");
        add(parts, webhooks, "webhook");
        return String.join(", ", parts);
    }

    private static void add(List<String> parts, long count, String noun) {
        if (count > 0) {
            parts.add(count + " " + noun + (count == 1 ? "" : "s"));
        }
    }
}
