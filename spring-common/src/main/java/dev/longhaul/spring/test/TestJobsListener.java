package dev.longhaul.spring.test;

import dev.longhaul.testkit.TestJobs;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Keeps the tests of one cached context apart: each begins without the jobs of earlier ones. */
final class TestJobsListener implements TestExecutionListener {
    @Override
    public void beforeTestMethod(TestContext test) {
        if (!test.hasApplicationContext()) {
            return;
        }
        ApplicationContext context = test.getApplicationContext();
        if (context.getEnvironment().containsProperty(TestJobsCustomizer.DATABASE)) {
            context.getBean(TestJobs.class).startTest();
        }
    }
}
