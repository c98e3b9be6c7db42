package dev.longhaul.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * A method of a bean that runs a kind of job. It has one parameter with the job's params, usually a record, or none, and
 * optionally a {@link dev.longhaul.JobContext}. Its return value is the job's result. An exception fails the attempt.
 *
 * <p>Texts may contain placeholders: {@code "${mail.timeout:5m}"}. A text that is empty means the default of the library.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface LonghaulJob {
    /** The key of the definition, such as {@code mail.send}; unique together with the version. */
    String key();

    /** Increase it when params of older jobs no longer fit. */
    int version() default 1;

    /** The queue of its jobs unless a caller names another. */
    String queue() default "";

    /** Timeout of one attempt, such as {@code 90s} or {@code 2h}. */
    String timeout() default "";

    /** How often a job is attempted at most; 0 means the default. */
    int maxAttempts() default 0;

    /** The longest wait before the second attempt; the wait doubles with each further attempt. */
    String backoff() default "";

    /** The longest wait between two attempts. */
    String maxBackoff() default "";

    /** Exceptions after which the job fails without another attempt. */
    Class<? extends Throwable>[] noRetryFor() default {};

    /** How many jobs of this key may run at once in the whole cluster; 0 means no limit. */
    int concurrencyLimit() default 0;

    /**
     * Where the method runs: {@code thread}, or {@code process} for a process of its own. A child process creates the bean
     * with its constructor without arguments, outside the application context.
     */
    String isolation() default "thread";

    /** Memory limit of a run in its own process, such as {@code 256m}. */
    String memory() default "";

    /** CPU limit of a run in its own process: 0.5 is half of one processor; 0 means none. */
    double cpu() default 0;
}
