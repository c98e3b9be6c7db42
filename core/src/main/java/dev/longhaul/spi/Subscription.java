package dev.longhaul.spi;

/** Handle of a registered listener. Closing it unregisters the listener; closing twice has no effect. */
public interface Subscription extends AutoCloseable {
    @Override
    void close();
}
