package dev.longhaul.postgres.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.internal.store.FreshInserts;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.job.WebhookSecret;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.database.PatientDataSource;
import dev.longhaul.spi.Inserted;
import dev.longhaul.stats.DatabaseLink;
import dev.longhaul.webhook.WebhookSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** A failover to an asynchronous standby that lags behind raises an alarm with the number of lost jobs. */
@Tag("full")
@EnabledIf(
        value = "dev.longhaul.postgres.faults.PostgresPair#installed",
        disabledReason = "PostgreSQL 15 is not installed here: apt-get install postgresql-15")
class FailoverTest {
    private static final int REPLICATED = 5;
    private static final int LOST = 7;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void counts_the_acknowledged_jobs_that_the_new_primary_never_received() {
        try (var pair = PostgresPair.start();
                var pool = pool(pair.url());
                var store = PostgresStore.open(pool)) {
            store.webhooks()
                    .create(
                            UUID.randomUUID(),
                            new WebhookSpec(
                                    "https://alarm.example.com/",
                                    Set.of(WebhookEvent.DATABASE_FAILOVER),
                                    Set.of(),
                                    Set.of(),
                                    Map.of(),
                                    List.of(WebhookSecret.random())),
                            "test");
            List<Job> kept = insert(store, REPLICATED);
            awaitLink(store, link -> link.timeline() == 1);
            pair.awaitReplay();
            pair.stopReplication();
            List<Job> gone = insert(store, LOST);

            pair.failOver();

            DatabaseLink link = awaitLink(store, one -> one.failovers() > 0);
            assertThat(link.timeline()).isEqualTo(2);
            assertThat(link.failovers()).isEqualTo(1);
            assertThat(link.lostJobs()).isEqualTo(LOST);
            assertThat(kept).allMatch(job -> store.jobs().find(job.id()).isPresent());
            assertThat(gone).allMatch(job -> store.jobs().find(job.id()).isEmpty());
            assertThat(pair.standbySays("select string_agg(details, ' ') from longhaul.webhook_delivery"
                            + " where event = 'database.failover'"))
                    .isEqualTo("{\"previousTimeline\":1,\"timeline\":2,\"lostJobs\":" + LOST + "}");
        }
    }

    private static List<Job> insert(PostgresStore store, int count) {
        return store
                .capability(FreshInserts.class)
                .orElseThrow()
                .insertFresh(IntStream.range(0, count)
                        .mapToObj(i ->
                                JobSpec.of(new DefinitionRef("report", 1), "{}").build())
                        .toList())
                .stream()
                .map(Inserted::job)
                .toList();
    }

    private static DatabaseLink awaitLink(PostgresStore store, java.util.function.Predicate<DatabaseLink> condition) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            DatabaseLink link = store.stats().databaseLink().orElseThrow();
            if (condition.test(link)) {
                return link;
            }
            assertThat(System.nanoTime()).as(link.toString()).isLessThan(until);
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    private static HikariDataSource pool(String url) {
        var config = new HikariConfig();
        config.setDataSource(new PatientDataSource(url));
        config.setMaximumPoolSize(8);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }
}
