package dev.longhaul.server;

import com.linecorp.armeria.common.FlagsProvider;
import com.linecorp.armeria.common.util.TransportType;

/**
 * Makes Armeria use Java's NIO transport, like {@link EventLoops}. By default Armeria opens the port with epoll, which
 * fails with NIO event loops. NIO also needs no native library to be unpacked at every start.
 */
public final class ArmeriaFlags implements FlagsProvider {
    /** Returns a priority above Armeria's defaults (0) and below system properties. */
    @Override
    public int priority() {
        return 10;
    }

    @Override
    public TransportType transportType() {
        return TransportType.NIO;
    }
}
