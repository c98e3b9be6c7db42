package dev.longhaul.contract;

import dev.longhaul.spi.Store;
import java.time.Duration;
import java.time.Instant;

/** An empty store for one test, with a clock that the test controls. */
public interface StoreFixture extends AutoCloseable {
    Store store();

    /**
     * Opens another instance on the same data, as in another process; called at most once. A store in memory returns
     * the same instance. Closing this fixture also closes that instance.
     */
    Store anotherStore();

    /** Moves the store's clock forward. */
    void advance(Duration by);

    /** Returns the time of the store's clock. */
    default Instant now() {
        return store().now();
    }

    @Override
    void close();
}
