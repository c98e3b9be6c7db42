package dev.longhaul.spring.web.webflux;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.util.ClassUtils;
import reactor.netty.DisposableChannel;
import reactor.netty.http.server.HttpServerResponse;

/**
 * Streams on Reactor Netty. It requests up to 128 chunks ahead of the client, so a request does not show that anything was sent:
 * the release of a chunk's memory does.
 */
final class NettyResponse {
    private static final boolean PRESENT =
            ClassUtils.isPresent("reactor.netty.http.server.HttpServerResponse", NettyResponse.class.getClassLoader());

    private NettyResponse() {}

    static boolean is(ServerHttpResponse response) {
        return PRESENT && Present.is(response);
    }

    static DataBuffer buffer(ServerHttpResponse response, byte[] bytes, Runnable taken) {
        return Present.buffer(response, bytes, taken);
    }

    static void disconnect(ServerHttpResponse response) {
        Present.disconnect(response);
    }

    /** Loaded only if Netty is on the class path. */
    private static final class Present {
        static boolean is(ServerHttpResponse response) {
            return response.bufferFactory() instanceof NettyDataBufferFactory;
        }

        static DataBuffer buffer(ServerHttpResponse response, byte[] bytes, Runnable taken) {
            var buffer = new Reported(bytes.length, taken);
            buffer.writeBytes(bytes);
            return ((NettyDataBufferFactory) response.bufferFactory()).wrap(buffer);
        }

        static void disconnect(ServerHttpResponse response) {
            Object server = ServerHttpResponseDecorator.getNativeResponse(response);
            if (server instanceof HttpServerResponse known) {
                known.withConnection(DisposableChannel::dispose);
            }
        }
    }

    /** Memory that reports its release. Netty would copy memory of the heap when it is queued. */
    private static final class Reported extends UnpooledDirectByteBuf {
        private final Runnable taken;

        Reported(int bytes, Runnable taken) {
            super(UnpooledByteBufAllocator.DEFAULT, bytes, bytes);
            this.taken = taken;
        }

        @Override
        protected void deallocate() {
            super.deallocate();
            taken.run();
        }
    }
}
