package dev.longhaul.job;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Whether and when a failed attempt is retried. The first rule whose type matches the error decides; without one, the
 * policy's own backoff applies.
 */
public record RetryPolicy(Backoff backoff, List<Rule> rules) {
    public static final RetryPolicy DEFAULT = new RetryPolicy(Backoff.DEFAULT, List.of());

    public RetryPolicy {
        rules = List.copyOf(rules);
    }

    /** The rule for one exception type and its subtypes. Without a backoff, these exceptions are not retried. */
    public record Rule(
            Class<? extends Throwable> type, @Nullable Backoff backoff) {}

    public static RetryPolicy of(Backoff backoff) {
        return new RetryPolicy(backoff, List.of());
    }

    /** This policy, with that type of error never retried. */
    public RetryPolicy never(Class<? extends Throwable> type) {
        return with(new Rule(type, null));
    }

    /** This policy, with a separate backoff for that type of error. */
    public RetryPolicy on(Class<? extends Throwable> type, Backoff backoff) {
        return with(new Rule(type, backoff));
    }

    /**
     * How long to wait after {@code attempts} attempts of which the last ended in {@code error}; empty means give up.
     */
    public Optional<Duration> delayAfter(Throwable error, int attempts, RandomGenerator random) {
        for (Rule rule : rules) {
            if (rule.type().isInstance(error)) {
                return Optional.ofNullable(rule.backoff()).map(own -> own.delay(attempts, random));
            }
        }
        return Optional.of(backoff.delay(attempts, random));
    }

    private RetryPolicy with(Rule rule) {
        var all = new ArrayList<>(rules);
        all.add(rule);
        return new RetryPolicy(backoff, all);
    }
}
