package dev.longhaul.bench.measure;

import dev.longhaul.JobDefinition;
import java.util.function.LongSupplier;

/** A job that only records when it was started, with params like those of {@code Ceiling}'s jobs. */
public final class Noop {
    public static final String KEY = "demo.noop";
    public static final String URL = "https://example.com/video.mp4";
    public static final String PARAMS_TEXT = "{\"url\":\"" + URL + "\",\"n\":123}";

    /** Params of the job; {@code n} identifies it. */
    public record Video(String url, int n) {}

    /** Result of the job. */
    public record Done(int n) {}

    private Noop() {}

    /**
     * Returns a definition whose handler records each start in {@code starts}, with the time that {@code micros}
     * returns.
     */
    public static JobDefinition<Video, Done> definition(LongSupplier micros, Starts starts) {
        return JobDefinition.of(KEY, Video.class, Done.class).handler((video, context) -> {
            starts.started(video.n(), micros.getAsLong());
            return new Done(video.n());
        });
    }

    public static Video video(int n) {
        return new Video(URL, n);
    }
}
