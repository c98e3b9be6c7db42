package dev.longhaul.spring.web;

import java.time.Duration;

/** How long a stream stays open: users log out and lose authorities, and are checked only when a request begins. */
public final class StreamLife {
    /** Then the stream ends, and the browser opens another one. */
    public static final Duration MOST = Duration.ofMinutes(5);

    private StreamLife() {}
}
