package dev.longhaul.bench;

import dev.longhaul.JobDefinition;
import java.util.function.LongSupplier;

/** A job that does nothing but say when it was started, with params like those of {@code Ceiling}'s jobs. */
final class Noop {
    static final String KEY = "demo.noop";
    static final String URL = "https://example.com/video.mp4";
    static final String PARAMS_TEXT = "{\"url\":\"" + URL + "\",\"n\":123}";

    /** What it is asked; {@code n} tells one job from the other. */
    record Video(String url, int n) {}

    /** What it answers. */
    record Done(int n) {}

    private Noop() {}

    /** Notes each start in {@code starts}, by that clock; the clock is read before anything else. */
    static JobDefinition<Video, Done> definition(LongSupplier micros, Starts starts) {
        return JobDefinition.of(KEY, Video.class, Done.class).handler((video, context) -> {
            starts.started(video.n(), micros.getAsLong());
            return new Done(video.n());
        });
    }

    static Video video(int n) {
        return new Video(URL, n);
    }
}
