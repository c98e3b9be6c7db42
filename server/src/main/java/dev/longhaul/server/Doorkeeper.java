package dev.longhaul.server;

import com.linecorp.armeria.common.Flags;
import com.linecorp.armeria.common.util.ThreadFactories;
import com.linecorp.armeria.common.util.TransportType;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** The thread that accepts connections. Ends at once when asked, where Netty would look around for two seconds first. */
final class Doorkeeper extends MultiThreadIoEventLoopGroup {
    Doorkeeper(String name) {
        super(1, ThreadFactories.newThreadFactory(name, false), handlers());
    }

    private static IoHandlerFactory handlers() {
        return Flags.transportType() == TransportType.EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    }

    @Override
    public Future<?> shutdownGracefully() {
        return shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
