package dev.longhaul.spring.web.webflux;

import dev.longhaul.api.http.ClientConnection;
import dev.longhaul.spring.web.StreamLife;
import dev.longhaul.spring.web.WebApi;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The client of a stream. */
final class ReactiveClient implements ClientConnection {
    private final ServerHttpResponse response;
    private final WebApi api;
    private final Object address;
    private final boolean netty;
    private final Sinks.Many<Chunk> chunks = Sinks.many().unicast().onBackpressureBuffer();
    private final Sinks.Empty<Void> aborted = Sinks.empty();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    /**
     * Chunks passed to the web server that the client may not have received yet. Unused with Netty, which reports each
     * chunk as it is sent.
     */
    private final Queue<Chunk> writing = new ConcurrentLinkedQueue<>();

    private volatile boolean closing;

    private static final class Chunk {
        final byte[] bytes;
        final Runnable taken;

        Chunk(byte[] bytes, Runnable taken) {
            this.bytes = bytes;
            this.taken = taken;
        }
    }

    ReactiveClient(ServerWebExchange exchange, WebApi api) {
        this.response = exchange.getResponse();
        this.api = api;
        this.address = String.valueOf(exchange.getRequest().getRemoteAddress());
        this.netty = NettyResponse.is(response);
    }

    /** Sends the chunks, each at once, until the stream ends. */
    Mono<Void> send() {
        var life = api.timer().schedule(this::close, StreamLife.MOST.toMillis(), TimeUnit.MILLISECONDS);
        Flux<Mono<DataBuffer>> bodies = chunks.asFlux()
                // A server requests the next chunk when the client has taken the ones before.
                .doOnRequest(more -> takenAll())
                .map(chunk -> Mono.fromSupplier(() -> buffer(chunk)))
                .takeUntilOther(aborted.asMono());
        return response.writeAndFlushWith(bodies).doFinally(signal -> {
            life.cancel(false);
            ended.complete(null);
        });
    }

    private DataBuffer buffer(Chunk chunk) {
        if (netty) {
            return NettyResponse.buffer(response, chunk.bytes, chunk.taken);
        }
        writing.add(chunk);
        return response.bufferFactory().wrap(chunk.bytes);
    }

    private void takenAll() {
        for (Chunk chunk = writing.poll(); chunk != null; chunk = writing.poll()) {
            chunk.taken.run();
        }
    }

    @Override
    public boolean isOpen() {
        return !closing && !ended.isDone();
    }

    @Override
    public boolean write(byte[] bytes, Runnable taken) {
        var chunk = new Chunk(bytes, taken);
        return isOpen() && emitted(() -> chunks.tryEmitNext(chunk));
    }

    /** Repeats while another thread emits, which is short. Not with a lock, because emitting may run callbacks. */
    private static boolean emitted(Supplier<Sinks.EmitResult> emitting) {
        Sinks.EmitResult result = emitting.get();
        while (result == Sinks.EmitResult.FAIL_NON_SERIALIZED) {
            Thread.onSpinWait();
            result = emitting.get();
        }
        return result.isSuccess();
    }

    @Override
    public void close() {
        closing = true;
        var unused = emitted(chunks::tryEmitComplete);
    }

    @Override
    public void abort() {
        closing = true;
        aborted.tryEmitEmpty();
        if (netty) {
            NettyResponse.disconnect(response);
        }
    }

    @Override
    public CompletionStage<?> ended() {
        return ended;
    }

    @Override
    public ScheduledExecutorService timer() {
        return api.timer();
    }

    @Override
    public Object address() {
        return address;
    }
}
