package dev.longhaul.contract;

import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.WorkSource;
import java.time.Duration;
import java.util.List;

/** An empty source of work for one test, and what the contract needs besides the port. */
public interface WorkFixture extends AutoCloseable {
    WorkSource source();

    /** The same work through another instance, as in another process; the same instance where there is no other way. */
    WorkSource another();

    void add(List<JobSpec> specs);

    /** Requests that a running job ends. */
    void cancel(JobId id);

    /** Moves the source's clock forward. */
    void advance(Duration by);

    @Override
    void close();

    /** The work of a whole store. */
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
