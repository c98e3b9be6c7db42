package dev.longhaul.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives a test's context a bean of type {@link dev.longhaul.testkit.TestJobs}: jobs run only when the test says so. Use it with
 * {@code @SpringBootTest}; {@link LonghaulTest} includes it.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface AutoConfigureTestJobs {
    /** Where jobs are stored. */
    Database database() default Database.MEMORY;

    /** Where a test stores jobs. */
    enum Database {
        /** In memory, with a clock that the test advances. Jobs of a transaction exist once it commits. */
        MEMORY,
        /** In the application's PostgreSQL, with its clock. */
        POSTGRES
    }
}
