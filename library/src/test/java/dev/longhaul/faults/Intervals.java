package dev.longhaul.faults;

import dev.longhaul.faults.Journal.Mark;
import dev.longhaul.job.JobId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** When code ran, by its own record: from its start to its end, or to the death of its process. */
final class Intervals {
    private final List<Interval> all;

    /** One run. */
    record Interval(JobId job, int run, Instant start, Instant end) {}

    private record Key(JobId job, int run) {}

    private record Change(Instant at, int by) {}

    private Intervals(List<Interval> all) {
        this.all = all;
    }

    /**
     * Reads the record. A run without an end lasted until its worker died.
     *
     * @param deaths when workers died, or a moment earlier; the last runs of a worker that is not named end where they
     * start, because their ends are unknown
     */
    static Intervals of(List<Mark> marks, Map<String, Instant> deaths) {
        var ends = new HashMap<Key, Instant>();
        for (Mark mark : marks) {
            if (mark.what().equals("end")) {
                ends.put(new Key(mark.job(), mark.run()), mark.at());
            }
        }
        var all = new ArrayList<Interval>();
        for (Mark mark : marks) {
            if (mark.what().startsWith("start")) {
                Instant death = deaths.getOrDefault(mark.worker(), mark.at());
                Instant end = ends.getOrDefault(new Key(mark.job(), mark.run()), death);
                all.add(new Interval(mark.job(), mark.run(), mark.at(), end.isBefore(mark.at()) ? mark.at() : end));
            }
        }
        return new Intervals(all);
    }

    List<Interval> all() {
        return all;
    }

    /** The most runs at the same time. */
    int mostAtOnce() {
        return mostAtOnce(all);
    }

    /** Jobs with two overlapping runs. */
    List<JobId> ranTwiceAtOnce() {
        var byJob = new HashMap<JobId, List<Interval>>();
        all.forEach(one ->
                byJob.computeIfAbsent(one.job(), job -> new ArrayList<>()).add(one));
        return byJob.entrySet().stream()
                .filter(entry -> mostAtOnce(entry.getValue()) > 1)
                .map(Map.Entry::getKey)
                .toList();
    }

    private static int mostAtOnce(List<Interval> intervals) {
        var changes = new ArrayList<Change>();
        for (Interval one : intervals) {
            changes.add(new Change(one.start(), 1));
            changes.add(new Change(one.end(), -1));
        }
        // Runs do not overlap where one ends as another starts.
        changes.sort(Comparator.comparing(Change::at).thenComparing(Change::by));
        int now = 0;
        int most = 0;
        for (Change change : changes) {
            now += change.by();
            most = Math.max(most, now);
        }
        return most;
    }
}
