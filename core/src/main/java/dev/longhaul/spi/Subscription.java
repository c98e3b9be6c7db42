package dev.longhaul.spi;

/** Ends what it stands for; ending it again does nothing. */
public interface Subscription extends AutoCloseable {
    @Override
    void close();
}
