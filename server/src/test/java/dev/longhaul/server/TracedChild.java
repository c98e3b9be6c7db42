package dev.longhaul.server;

import static dev.longhaul.Isolation.process;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobDefinitions;
import java.util.List;

/** Java code in a child process that returns its trace. */
public final class TracedChild implements JobDefinitions {
    record Nothing() {}

    static final JobDefinition<Nothing, String> TRACE_OF_CHILD = JobDefinition.of(
                    "test.child", Nothing.class, String.class)
            .isolation(process())
            .handler((params, run) -> String.valueOf(run.traceparent()));

    @Override
    public List<JobDefinition<?, ?>> definitions() {
        return List.of(TRACE_OF_CHILD);
    }
}
