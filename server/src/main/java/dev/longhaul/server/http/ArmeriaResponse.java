package dev.longhaul.server.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpResponseWriter;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.api.http.ClientConnection;
import dev.longhaul.api.http.Failures;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Status;
import io.netty.channel.Channel;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Sends the responses of routes with Armeria. */
public final class ArmeriaResponse {
    private static final long REST_MILLIS = 200;

    private ArmeriaResponse() {}

    /** @param where the route that created the response, for log lines */
    public static HttpResponse of(ServiceRequestContext context, Object where, Response response) {
        if (response instanceof Response.Complete complete) {
            return of(complete);
        }
        return response instanceof Response.Events events
                ? stream(context, events)
                : later(context, where, (Response.Later) response);
    }

    public static HttpResponse of(Response.Complete response) {
        return HttpResponse.of(headers(response.status(), response.headers()), HttpData.wrap(response.body()));
    }

    /**
     * Sends the response after the whole request was read, but waits only briefly. Over HTTP/2 an earlier response
     * resets the stream, and some clients then report the reset instead of the response.
     */
    public static HttpResponse afterReading(HttpRequest request, HttpResponse response) {
        return HttpResponse.of(request.subscribe()
                .copy()
                .completeOnTimeout(null, REST_MILLIS, TimeUnit.MILLISECONDS)
                .handle((read, failure) -> response));
    }

    private static ResponseHeaders headers(int status, List<Response.Header> headers) {
        ResponseHeadersBuilder all = ResponseHeaders.builder(status);
        headers.forEach(header -> all.add(header.name(), header.value()));
        return all.build();
    }

    private static HttpResponse later(ServiceRequestContext context, Object where, Response.Later later) {
        context.clearRequestTimeout();
        HttpResponse response = HttpResponse.of(later.ready()
                .thenApplyAsync(
                        ready -> {
                            try {
                                return of(later.response().get());
                            } catch (RuntimeException e) {
                                return of(Failures.answer(where, e));
                            }
                        },
                        context.blockingTaskExecutor()));
        // This callback also runs when the client has disconnected.
        var unused =
                response.whenComplete().handle((done, failure) -> later.ready().cancel(false));
        return response;
    }

    private static HttpResponse stream(ServiceRequestContext context, Response.Events events) {
        HttpResponseWriter writer = HttpResponse.streaming();
        writer.write(headers(Status.OK, Response.Events.HEADERS));
        events.opening().accept(new Client(context, writer));
        context.clearRequestTimeout();
        return writer;
    }

    private record Client(ServiceRequestContext context, HttpResponseWriter response) implements ClientConnection {
        @Override
        public boolean isOpen() {
            return response.isOpen();
        }

        @Override
        public boolean write(byte[] bytes, Runnable taken) {
            if (!response.tryWrite(HttpData.wrap(bytes))) {
                return false;
            }
            var unused = response.whenConsumed().thenRun(taken);
            return true;
        }

        @Override
        public void close() {
            response.close();
        }

        @Override
        public void abort() {
            response.abort();
            Channel channel = context.log().partial().channel();
            // With HTTP/1, unsent data would keep the connection open.
            if (channel != null && !context.sessionProtocol().isMultiplex()) {
                var unused = channel.close();
            }
        }

        @Override
        public CompletionStage<?> ended() {
            return response.whenComplete();
        }

        @Override
        public ScheduledExecutorService timer() {
            return context.eventLoop();
        }

        @Override
        public Object address() {
            return context.remoteAddress();
        }
    }
}
