package dev.longhaul.contract;

import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.WorkSource;
import java.time.Duration;
import java.util.List;

/** An empty source of work for one test, and operations that the contract needs besides the port. */
public interface WorkFixture extends AutoCloseable {
    WorkSource source();

    /**
     * Returns another instance with the same work, as in another process; returns the same instance if there can be
     * only one.
     */
    WorkSource another();

    void add(List<JobSpec> specs);

    /** Requests a running job to end. */
    void cancel(JobId id);

    /** Moves the source's clock forward. */
    void advance(Duration by);

    @Override
    void close();

    /** Returns a fixture for the work of a complete store. */
    static WorkFixture of(StoreFixture fixture) {
        return new WorkFixture() {
            @Override
            public WorkSource source() {
                return fixture.store().work();
            }

            @Override
            public WorkSource another() {
                return fixture.anotherStore().work();
            }

            @Override
            public void add(List<JobSpec> specs) {
                fixture.store().jobs().insert(specs);
            }

            @Override
            public void cancel(JobId id) {
                fixture.store().jobs().execute(JobCommand.cancel(id, null, null, null));
            }

            @Override
            public void advance(Duration by) {
                fixture.advance(by);
            }

            @Override
            public void close() {
                fixture.close();
            }
        };
    }
}
