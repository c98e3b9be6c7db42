package dev.longhaul.server;

import com.linecorp.armeria.common.util.ThreadFactories;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Event loops that shut down immediately. Netty's default waits two seconds without tasks before it shuts down. */
final class EventLoops extends MultiThreadIoEventLoopGroup {
    EventLoops(String name, int threads) {
        super(threads, ThreadFactories.newEventLoopThreadFactory(name, true), NioIoHandler.newFactory());
    }

    @Override
    public Future<?> shutdownGracefully() {
        return shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
