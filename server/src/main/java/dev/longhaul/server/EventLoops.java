package dev.longhaul.server;

import com.linecorp.armeria.common.util.ThreadFactories;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** The threads that move bytes. They end at once when asked, where Netty would look around for two seconds first. */
final class EventLoops extends MultiThreadIoEventLoopGroup {
    EventLoops(String name, int threads) {
        super(threads, ThreadFactories.newEventLoopThreadFactory(name, true), NioIoHandler.newFactory());
    }

    @Override
    public Future<?> shutdownGracefully() {
        return shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
