package dev.longhaul.spring.test;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Finds the annotations of this package on test classes. */
final class TestJobsCustomizerFactory implements ContextCustomizerFactory {
    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        AutoConfigureTestJobs given =
                TestContextAnnotationUtils.findMergedAnnotation(testClass, AutoConfigureTestJobs.class);
        boolean slice = TestContextAnnotationUtils.hasAnnotation(testClass, LonghaulTest.class);
        return given == null ? null : new TestJobsCustomizer(given.database(), slice);
    }
}
