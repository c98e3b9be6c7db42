package dev.longhaul.server.stream;

import dev.longhaul.event.JobEvent;
import dev.longhaul.job.Job;
import dev.longhaul.server.http.Answer;
import dev.longhaul.server.rest.JobJson;

/** A job's events as server-sent events. */
final class SseEvents implements EventStream.Sink {
    private final SseWriter sse;
    private final JobJson json;
    private final JobJson.View view;

    SseEvents(SseWriter sse, JobJson json, JobJson.View view) {
        this.sse = sse;
        this.json = json;
        this.view = view;
    }

    @Override
    public boolean isOpen() {
        return sse.isOpen();
    }

    @Override
    public boolean offer(JobEvent event) {
        String text = Answer.json(out -> json.write(out, event, view));
        return sse.offer(event.position(), event.type().wireName(), text);
    }

    @Override
    public void flush() {
        sse.flush();
    }

    @Override
    public void end(Job job) {
        sse.end(
                "end",
                Answer.json(
                        out -> out.object(() -> out.text("status", job.status().wireName()))));
    }

    @Override
    public void drain() {
        sse.drain();
    }

    @Override
    public void close() {
        sse.close();
    }
}
