package dev.longhaul.engine;

import dev.longhaul.contract.WorkFixture;
import dev.longhaul.contract.WorkSourceContract;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.spi.WorkSource;
import java.time.Duration;
import java.util.List;

/** Checks that the work source of the engine's tests fulfils the contract of its port. */
class MapWorkSourceTest extends WorkSourceContract {
    @Override
    protected WorkFixture newFixture() {
        var source = new MapWorkSource();
        return new WorkFixture() {
            @Override
            public WorkSource source() {
                return source;
            }

            @Override
            public WorkSource another() {
                return source;
            }

            @Override
            public void add(List<JobSpec> specs) {
                source.insert(specs);
            }

            @Override
            public void cancel(JobId id) {
                source.cancel(id);
            }

            @Override
            public void advance(Duration by) {
                source.advance(by);
            }

            @Override
            public void close() {}
        };
    }
}
