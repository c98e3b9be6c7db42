package dev.longhaul.server;

import com.linecorp.armeria.common.util.EventLoopGroups;
import com.linecorp.armeria.common.util.ThreadFactories;
import io.netty.channel.EventLoopGroup;
import java.time.Duration;

/** The threads that move bytes. They end at once when asked, where Netty would look around for two seconds first. */
final class EventLoops {
    private EventLoops() {}

    /** Threads of the kind that this machine's transport needs: others make the server wait for ever when it starts. */
    static EventLoopGroup of(String name, int threads) {
        return EventLoopGroups.builder()
                .numThreads(threads)
                .threadFactory(ThreadFactories.newEventLoopThreadFactory(name, true))
                .gracefulShutdown(Duration.ZERO, Duration.ofSeconds(1))
                .build();
    }
}
