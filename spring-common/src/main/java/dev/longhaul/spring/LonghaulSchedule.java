package dev.longhaul.spring;

import dev.longhaul.schedule.CatchUp;
import dev.longhaul.schedule.Overlap;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Creates jobs of the same method's {@link LonghaulJob} at given times, in whichever process of the cluster is the leader.
 * Texts may contain placeholders: {@code cron = "${report.cron}"}.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface LonghaulSchedule {
    /** Five fields, or six with seconds first. {@code -} disables the schedule. */
    String cron() default "";

    /** A period instead of a cron expression, such as {@code 10m}. */
    String every() default "";

    /** The time zone of the cron expression, such as {@code Europe/Berlin}. */
    String zone() default "UTC";

    /** What happens to fires that were missed while no process was the leader. */
    CatchUp.Policy catchUp() default CatchUp.Policy.ONCE;

    /** What happens while the job of an earlier fire has not ended. */
    Overlap overlap() default Overlap.ALLOW;

    /** Params of the jobs as JSON; needed unless the method has none. */
    String params() default "";

    /** The key of the schedule; by default that of the definition. */
    String key() default "";
}
