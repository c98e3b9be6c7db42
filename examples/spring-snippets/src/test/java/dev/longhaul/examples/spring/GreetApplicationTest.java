package dev.longhaul.examples.spring;

import dev.longhaul.examples.spring.GreetApplication.Greet;
import dev.longhaul.spring.JobClient;
import dev.longhaul.spring.test.LonghaulTest;
import dev.longhaul.testkit.TestJobs;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.ContextConfiguration;

@LonghaulTest
@ContextConfiguration(classes = GreetApplication.class)
class GreetApplicationTest {
    @Autowired
    private TestJobs jobs;

    @Autowired
    private JobClient<Greet, String> greetings;

    @Test
    void the_smallest_application_runs_its_job() {
        greetings.later(new Greet("Bob"));
        jobs.runDue();
        jobs.assertThatOnlyJob(greetings.definition()).hasResult("Hello, Bob!");
    }
}
