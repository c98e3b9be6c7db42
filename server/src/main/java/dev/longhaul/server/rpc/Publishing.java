package dev.longhaul.server.rpc;

import dev.longhaul.api.http.Caller;
import dev.longhaul.api.http.Fields;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventType;
import dev.longhaul.event.NewEvent;
import dev.longhaul.job.Claim;
import dev.longhaul.rpc.v1.PublishJobEventsFailure;
import dev.longhaul.rpc.v1.PublishJobEventsRequest;
import dev.longhaul.rpc.v1.PublishJobEventsResponse;
import dev.longhaul.spi.Store;
import dev.longhaul.work.RunUpdate;
import io.grpc.stub.StreamObserver;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stream of events that one worker publishes for its run. It reads the next batch after the previous one is stored.
 */
final class Publishing implements StreamObserver<PublishJobEventsRequest> {
    private final Store store;
    private final Tasks tasks;
    private final Caller caller;
    private final StreamObserver<PublishJobEventsResponse> observer;
    private @Nullable Claim claim;
    private int lastSequence;
    private boolean ended;

    Publishing(Store store, Tasks tasks, Caller caller, StreamObserver<PublishJobEventsResponse> observer) {
        this.store = store;
        this.tasks = tasks;
        this.caller = caller;
        this.observer = observer;
    }

    @Override
    public void onNext(PublishJobEventsRequest batch) {
        if (ended) {
            return;
        }
        try {
            Claim own = claim(batch.getTaskToken());
            List<NewEvent> events = Published.events(batch.getEventsList(), Instant.now(), tasks.secrets(own));
            List<NewEvent> kept = events.stream()
                    .filter(event -> event.type() != EventType.HEARTBEAT || tasks.heartbeatDue(own))
                    .toList();
            // Created for all events together, because it checks their order.
            var all = RunUpdate.events(own, events);
            tasks.report(kept.size() == events.size() ? all : RunUpdate.events(own, kept));
            events.forEach(event -> lastSequence = Math.max(lastSequence, event.sequence()));
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private Claim claim(String token) {
        Claim own = claim;
        if (own == null) {
            own = TaskToken.parse(token);
            tasks.requireQueue(caller, own);
            lastSequence = store.jobs().lastSequence(own).orElseThrow(TaskToken::stale);
            claim = own;
        } else if (!token.isEmpty() && !TaskToken.parse(token).equals(own)) {
            throw Fields.bad("taskToken", token.length() + " characters", "the token of the first batch");
        }
        return own;
    }

    private void fail(RuntimeException failure) {
        ended = true;
        if (failure instanceof LonghaulException known) {
            var detail = PublishJobEventsFailure.newBuilder().setLastSequence(lastSequence());
            observer.onError(new RpcProblem.Detailed(known, detail.build()));
        } else {
            observer.onError(failure);
        }
    }

    /**
     * Returns the last stored sequence. Reads it from the store, because other streams may use the same token. If the
     * store has none or fails, returns the last sequence of this stream.
     */
    private int lastSequence() {
        Claim own = claim;
        try {
            return own == null ? 0 : store.jobs().lastSequence(own).orElse(lastSequence);
        } catch (LonghaulException e) {
            return lastSequence;
        }
    }

    @Override
    public void onError(Throwable gone) {
        ended = true;
    }

    @Override
    public void onCompleted() {
        if (ended) {
            return;
        }
        if (claim == null) {
            fail(Fields.bad("taskToken", "missing", "the task token of a job that was dequeued"));
            return;
        }
        observer.onNext(PublishJobEventsResponse.newBuilder()
                .setLastSequence(lastSequence())
                .build());
        observer.onCompleted();
    }
}
