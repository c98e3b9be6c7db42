package dev.longhaul.spring.autoconfigure;

import dev.longhaul.spring.web.WebApi;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/** Ends the streams of the dashboard before the web server waits for its open requests, but after running jobs have drained. */
final class StreamsLifecycle implements SmartLifecycle {
    /** One above the graceful shutdown of Spring Boot's web servers, and below {@link LonghaulLifecycle}. */
    private static final int PHASE = DEFAULT_PHASE - 1023;

    private final ObjectProvider<WebApi> api;
    private volatile boolean running;

    StreamsLifecycle(ObjectProvider<WebApi> api) {
        this.api = api;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        api.ifAvailable(WebApi::drain);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
