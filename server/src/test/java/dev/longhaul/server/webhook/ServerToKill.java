package dev.longhaul.server.webhook;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.job.Backoff;
import dev.longhaul.job.RetryPolicy;
import dev.longhaul.postgres.database.PatientDataSource;
import dev.longhaul.server.LonghaulServer;
import dev.longhaul.server.ServerConfig;
import dev.longhaul.webhook.SendingRules;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** A server with a worker in a separate process, for tests that kill it. */
final class ServerToKill {
    record Numbered(int number) {}

    /** Every fifth job fails in its first run. */
    static final JobDefinition<Numbered, Numbered> NUMBERED = JobDefinition.of("tell", Numbered.class, Numbered.class)
            .maxAttempts(50)
            .retry(RetryPolicy.of(new Backoff(Duration.ofMillis(20), 1, Duration.ofMillis(20))))
            .handler((params, run) -> {
                if (params.number() % 5 == 0 && run.attempt() == 1) {
                    throw new IllegalStateException("not at first");
                }
                return params;
            });

    private static final WebhookConfig QUICK = new WebhookConfig(
            List.of("127.0.0.0/8"),
            8,
            Duration.ofMillis(500),
            new SendingRules(
                    Duration.ofMillis(20), Duration.ofMillis(100), Duration.ofHours(1), 10, Duration.ofMillis(100)));

    private ServerToKill() {}

    static HikariDataSource pool(String url) {
        var config = new HikariConfig();
        config.setDataSource(new PatientDataSource(url));
        config.setMaximumPoolSize(16);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }

    static JavaProcess start(String url) throws IOException {
        return JavaProcess.start(ServerToKill.class, url);
    }

    public static void main(String[] arguments) throws Exception {
        Longhaul longhaul = Longhaul.builder()
                .postgres(pool(arguments[0]))
                .register(NUMBERED)
                .lease(Duration.ofSeconds(1))
                .start();
        LonghaulServer.start(longhaul, ServerConfig.LOCAL.withWebhooks(QUICK));
        JavaProcess.untilTheTestEnds();
        System.exit(0);
    }
}
