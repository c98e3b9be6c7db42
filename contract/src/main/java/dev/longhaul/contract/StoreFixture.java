package dev.longhaul.contract;

import dev.longhaul.spi.Store;
import java.time.Duration;
import java.time.Instant;

/** An empty store for one test, and control of its clock. */
public interface StoreFixture extends AutoCloseable {
    Store store();

    /**
     * Opens another instance over the same data, as in another process; called at most once. A store in memory
     * returns the same instance. It is closed with this fixture.
     */
    Store anotherStore();

    /** Moves the store's clock forward. */
    void advance(Duration by);

    /** The store's clock. */
    default Instant now() {
        return store().now();
    }

    @Override
    void close();
}
