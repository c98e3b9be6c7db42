package dev.longhaul.stats;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Statistics over time, without gaps: intervals without runs have zeros. */
public record TimeSeries(int stepSeconds, List<Series> series) {
    /** All points of one queue or definition, or of all together. */
    public record Series(String name, List<Point> points) {}

    /** The runs that ended between this point and the next. */
    public record Point(Instant at, Numbers numbers) {}

    /** Adds up stored counters, in any order and from any number of processes. */
    public static final class Sum {
        private static final String ALL = "all";

        private final SeriesQuery query;
        private final Instant from;
        private final int points;
        private final TreeMap<String, List<Point>> series = new TreeMap<>();

        public Sum(SeriesQuery query, Instant now) {
            this.query = query;
            this.from = query.from(now);
            this.points = (int) ((now.getEpochSecond() - from.getEpochSecond()) / query.step()) + 1;
            if (query.by() == SeriesQuery.By.NOTHING) {
                series.put(ALL, empty());
            }
        }

        public Instant from() {
            return from;
        }

        public void add(Meter.BucketKey bucket, Numbers numbers) {
            long index = Math.floorDiv(bucket.at().getEpochSecond() - from.getEpochSecond(), query.step());
            if (bucket.seconds() == query.stored() && index >= 0 && index < points) {
                series.computeIfAbsent(name(bucket), key -> empty())
                        .get((int) index)
                        .numbers()
                        .add(numbers);
            }
        }

        public TimeSeries result() {
            return new TimeSeries(
                    query.step(),
                    series.entrySet().stream()
                            .map(one -> new Series(one.getKey(), one.getValue()))
                            .toList());
        }

        private String name(Meter.BucketKey bucket) {
            return switch (query.by()) {
                case NOTHING -> ALL;
                case QUEUE -> bucket.queue();
                case DEFINITION -> bucket.definitionKey();
            };
        }

        private List<Point> empty() {
            var all = new ArrayList<Point>(points);
            for (int i = 0; i < points; i++) {
                all.add(new Point(from.plusSeconds((long) i * query.step()), new Numbers()));
            }
            return all;
        }
    }
}
