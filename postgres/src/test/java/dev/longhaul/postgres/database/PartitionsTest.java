package dev.longhaul.postgres.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.StoreFixture;
import dev.longhaul.internal.text.Uuid7;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.postgres.PostgresFixture;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.Leadership;
import dev.longhaul.spi.Store;
import dev.longhaul.spi.Upkeep.Retained;
import dev.longhaul.testing.TestPostgres;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Partitions by day: created ahead, created on demand, dropped as a whole. */
class PartitionsTest {
    private final PostgresFixture.Database database = PostgresFixture.Database.on(TestPostgres.get());
    private final StoreFixture fixture = database.fixture();

    @AfterEach
    void close() {
        fixture.close();
        database.close();
    }

    @Test
    void are_created_on_demand_when_they_were_not_created_ahead() {
        fixture.advance(Duration.ofDays(100));
        JobId id = finishOne(fixture.store());
        assertThat(fixture.store().jobs().find(id)).isPresent();
    }

    @Test
    void are_created_for_every_day_of_a_batch() {
        Store store = fixture.store();
        var ids = new ArrayList<JobId>();
        for (int day = 0; day < 8; day++) {
            fixture.advance(Duration.ofDays(100));
            JobSpec spec = spec();
            store.jobs().insert(List.of(spec));
            ids.add(spec.id());
        }
        List<Transition> failures = store
                .work()
                .claim(ClaimRequest.of("w", List.of("default"), null, ids.size(), Duration.ofMinutes(1)))
                .stream()
                .map(claimed -> Transition.fail(claimed.claim(), Failure.of("exception", "late")))
                .toList();
        assertThat(store.work().apply(failures)).hasSize(ids.size()).allMatch(Verdict::won);
        assertThat(ids).allMatch(id -> store.jobs().runs(id).size() == 1);
    }

    @Test
    void go_as_a_whole_once_all_their_jobs_are_old() throws SQLException {
        JobId id = finishOne(fixture.store());
        int before = count("select count(*) from pg_inherits where inhparent = 'longhaul.finished_job'::regclass");
        fixture.advance(Duration.ofDays(9));
        Retained retained = retain();
        assertThat(retained.jobs()).isEqualTo(1);
        assertThat(retained.partitionsDropped()).isGreaterThanOrEqualTo(4);
        assertThat(fixture.store().jobs().find(id)).isEmpty();
        int ahead = 9;
        assertThat(count("select count(*) from pg_inherits where inhparent = 'longhaul.finished_job'::regclass"))
                .isLessThanOrEqualTo(before + ahead);
    }

    @Test
    void stay_while_a_job_of_their_day_lives_and_lose_only_the_old_ones() {
        Store store = fixture.store();
        JobSpec sleeper = spec();
        store.jobs().insert(List.of(sleeper.toBuilder().hold(true).build()));
        JobId old = finishOne(store);
        fixture.advance(Duration.ofDays(9));
        Retained retained = retain();
        assertThat(retained.jobs()).isEqualTo(1);
        assertThat(store.jobs().find(old)).isEmpty();
        store.jobs().execute(JobCommand.release(sleeper.id(), null));
        Claim claim = claim(store);
        store.work().apply(List.of(Transition.fail(claim, Failure.of("exception", "late"))));
        assertThat(store.jobs().find(sleeper.id())).isPresent();
        assertThat(store.jobs().runs(sleeper.id())).hasSize(1);
    }

    @Test
    void do_not_go_while_a_reader_is_at_them_and_enqueues_do_not_wait() throws SQLException {
        finishOne(fixture.store());
        fixture.advance(Duration.ofDays(9));
        try (Connection reader = DriverManager.getConnection(database.url());
                Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            statement.executeQuery("select count(*) from longhaul.finished_job").close();
            Retained retained = retain();
            assertThat(retained.partitionsDropped()).isZero();
            assertThat(retained.jobs()).isEqualTo(1);
            fixture.store().jobs().insert(List.of(spec()));
            reader.rollback();
        }
        assertThat(retain().partitionsDropped()).isGreaterThanOrEqualTo(4);
    }

    private Retained retain() {
        Store store = fixture.store();
        Leadership leader = store.upkeep()
                .lead("test", Duration.ofHours(1), Duration.ofMinutes(1))
                .orElseThrow();
        return store.upkeep().retain(leader, Duration.ofDays(7));
    }

    private JobId finishOne(Store store) {
        JobSpec spec = spec();
        store.jobs().insert(List.of(spec));
        store.work().apply(List.of(Transition.succeed(claim(store), "{}")));
        return spec.id();
    }

    private static Claim claim(Store store) {
        return store.work()
                .claim(ClaimRequest.of("w", List.of("default"), null, 1, Duration.ofMinutes(1)))
                .get(0)
                .claim();
    }

    private JobSpec spec() {
        long millis = fixture.now().toEpochMilli();
        return JobSpec.of(new DefinitionRef("demo", 1), "{}")
                .id(new JobId(new Uuid7(() -> millis).next()))
                .build();
    }

    private int count(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database.url());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getInt(1);
        }
    }
}
