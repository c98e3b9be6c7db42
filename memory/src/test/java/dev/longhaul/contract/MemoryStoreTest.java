package dev.longhaul.contract;

import dev.longhaul.memory.MemoryStore;
import dev.longhaul.memory.MovableClock;
import dev.longhaul.spi.Store;
import java.time.Duration;

class MemoryStoreTest extends JobStoreContract {
    @Override
    protected StoreFixture newFixture() {
        return fixture();
    }

    static StoreFixture fixture() {
        var clock = new MovableClock();
        var store = new MemoryStore(clock);
        return new StoreFixture() {
            @Override
            public Store store() {
                return store;
            }

            @Override
            public Store anotherStore() {
                return store;
            }

            @Override
            public void advance(Duration by) {
                clock.advance(by);
            }

            @Override
            public void close() {
                store.close();
            }
        };
    }
}
