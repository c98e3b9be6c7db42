package dev.longhaul.spring.test;

import java.util.Locale;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Prepares a test's context. Contexts are cached by its values.
 *
 * @param slice whether scanned components without jobs are left out
 */
record TestJobsCustomizer(AutoConfigureTestJobs.Database database, boolean slice) implements ContextCustomizer {
    static final String DATABASE = "longhaul.test.database";

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        TestPropertyValues.of(DATABASE + "=" + database.name().toLowerCase(Locale.ROOT))
                .applyTo(context);
        if (slice) {
            context.getBeanFactory().registerSingleton("longhaulTestFilter", new WithoutJobs());
        }
    }
}
