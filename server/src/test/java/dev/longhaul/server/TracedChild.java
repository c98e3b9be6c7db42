package dev.longhaul.server;

import static dev.longhaul.Isolation.process;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobDefinitions;
import java.util.List;

/** Java code in a process of its own that tells which trace it belongs to. */
public final class TracedChild implements JobDefinitions {
    record Nothing() {}

    static final JobDefinition<Nothing, String> TELL = JobDefinition.of("test.child", Nothing.class, String.class)
            .isolation(process())
            .handler((params, run) -> String.valueOf(run.traceparent()));

    @Override
    public List<JobDefinition<?, ?>> definitions() {
        return List.of(TELL);
    }
}
