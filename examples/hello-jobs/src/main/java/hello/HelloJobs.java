// region hello-jobs
package hello;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobDefinitions;
import java.util.List;

public final class HelloJobs implements JobDefinitions {
    record Hello(String name) {}

    record Greeting(String text) {}

    static final JobDefinition<Hello, Greeting> HELLO = JobDefinition.of("hello", Hello.class, Greeting.class)
            .handler((params, context) -> {
                context.log().info("greeting {}", params.name());
                return new Greeting("Hello, " + params.name() + "!");
            });

    @Override
    public List<JobDefinition<?, ?>> definitions() {
        return List.of(HELLO);
    }
}
// endregion
