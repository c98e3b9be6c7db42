package dev.longhaul.spring.boot4;

import dev.longhaul.spring.actuate.LonghaulHealth;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Reports whether jobs can be stored and run here. */
final class LonghaulHealthIndicator extends AbstractHealthIndicator {
    private final LonghaulHealth longhaul;

    LonghaulHealthIndicator(LonghaulHealth longhaul) {
        super("checking Longhaul failed");
        this.longhaul = longhaul;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        var health = longhaul.check();
        builder.status(health.healthy() ? "UP" : "DOWN").withDetail("detail", health.detail());
    }
}
