package dev.longhaul.contract;

import dev.longhaul.contract.intake.MemoryIntake;
import dev.longhaul.intake.IntakeMode;
import dev.longhaul.intake.IntakeStore;
import dev.longhaul.spi.Store;
import java.time.Duration;
import java.time.InstantSource;

/** A store with an intake behaves like the store while the store is available. */
class IntakeStoreTest extends JobStoreContract {
    @Override
    protected StoreFixture newFixture() {
        StoreFixture behind = MemoryStoreTest.fixture();
        var intake = new MemoryIntake(4, InstantSource.system());
        var store = new IntakeStore(behind.store(), intake, IntakeMode.UNAVAILABLE);
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
                behind.advance(by);
            }

            @Override
            public void close() {
                store.close();
            }
        };
    }
}
