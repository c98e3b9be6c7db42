package dev.longhaul.examples;

import static dev.longhaul.Isolation.process;

import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.JobDefinitions;
import java.util.List;

/** A definition whose runs get a process each. {@code META-INF/services/dev.longhaul.JobDefinitions} names this class. */
// region process
public final class OwnProcess implements JobDefinitions {
    record Report(String month) {}

    record Rendered(int pages) {}

    static final JobDefinition<Report, Rendered> RENDER = JobDefinition.of(
                    "report.render", Report.class, Rendered.class)
            .isolation(process().memory("512m"))
            .handler(OwnProcess::render);

    private static Rendered render(Report report, JobContext context) {
        context.log()
                .info(
                        "rendering {} in process {}",
                        report.month(),
                        ProcessHandle.current().pid());
        return new Rendered(3);
    }

    @Override
    public List<JobDefinition<?, ?>> definitions() {
        return List.of(RENDER);
    }
}
// endregion
