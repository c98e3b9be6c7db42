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
     * Reads the record. A run without an end went on until its worker died.
     *
     * @param deaths when workers died, or a moment earlier; of one that is not named nothing is known, so that its last runs
     *     end where they start
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

    /** The most that ran at once. */
    int mostAtOnce() {
        return mostAtOnce(all);
    }

    /** Jobs of which two runs were there at once. */
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
        // Where one ends as another starts, they did not overlap.
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
