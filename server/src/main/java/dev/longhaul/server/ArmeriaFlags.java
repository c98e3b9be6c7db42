package dev.longhaul.server;

import com.linecorp.armeria.common.FlagsProvider;
import com.linecorp.armeria.common.util.TransportType;

/**
 * What Armeria is to do everywhere. Java's own selectors, as {@link EventLoops} has them: left to itself, Armeria would open the
 * port with Linux's epoll, which does not fit and fails; and they need no native library to be unpacked at every start.
 */
public final class ArmeriaFlags implements FlagsProvider {
    /** Above Armeria's own, whose priority is 0, and below system properties. */
    @Override
    public int priority() {
        return 10;
    }

    @Override
    public TransportType transportType() {
        return TransportType.NIO;
    }
}
