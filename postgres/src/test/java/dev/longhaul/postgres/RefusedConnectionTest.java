package dev.longhaul.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.testing.TestPostgres;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Configuration errors name the setting to correct, and do not advise to try again. */
class RefusedConnectionTest {
    private final String url = TestPostgres.get().newDatabase();

    @Test
    @Tag("full")
    void a_wrong_user_or_password_says_what_to_correct() {
        refused("nobody-here", url, "user");
    }

    @Test
    void a_database_that_does_not_exist_says_what_to_correct() {
        String other = url.replaceFirst("/test_[0-9_]+", "/no_such_database");
        var source = new PGSimpleDataSource();
        source.setUrl(other);

        assertThatThrownBy(() -> PostgresStore.open(source))
                .isInstanceOf(LonghaulException.class)
                .hasMessageContaining("no_such_database")
                .hasMessageContaining("create the database, or correct its name")
                .hasMessageNotContaining("try again");
    }

    @Test
    void a_host_that_is_unknown_is_named() {
        opening(at("jdbc:postgresql://no-such-host.invalid:5432/jobs"), true)
                .hasMessageContaining("unknown database host: no-such-host.invalid")
                .hasMessageContaining("correct the host in the database URL");
    }

    @Test
    void a_port_that_nothing_listens_on_is_named() {
        opening(at("jdbc:postgresql://127.0.0.1:1/jobs"), true)
                .hasMessageContaining("database refused the connection: Connection to 127.0.0.1:1 refused")
                .hasMessageContaining("start PostgreSQL there");
    }

    @Test
    void a_missing_schema_says_how_to_create_it() {
        opening(at(url), false)
                .hasMessageContaining("database schema: version 0 (expected: ")
                .hasMessageContaining("longhaul migrate");
    }

    @Test
    void a_schema_that_is_dropped_while_the_store_is_open_says_how_to_create_it() {
        try (var store = PostgresStore.open(at(url))) {
            TestPostgres.execute(url, "drop schema longhaul cascade");
            assertThatThrownBy(() -> store.queues().all())
                    .isInstanceOf(LonghaulException.class)
                    .hasMessageContaining("schema longhaul is missing or incomplete")
                    .hasMessageContaining("longhaul migrate");
        }
    }

    @Test
    void a_user_without_privileges_says_what_to_grant() {
        String user = "reader_" + ProcessHandle.current().pid();
        TestPostgres.execute(url, "create role " + user + " login password 'secret'");
        try {
            var source = new PGSimpleDataSource();
            source.setUrl(url.replaceFirst("\\?.*", ""));
            source.setUser(user);
            source.setPassword("secret");
            opening(source, true)
                    .hasMessageContaining("missing privilege: ")
                    .hasMessageContaining("permission denied")
                    .hasMessageContaining("run longhaul migrate as the owner");
        } finally {
            TestPostgres.execute(url, "drop role " + user);
        }
    }

    private static PGSimpleDataSource at(String url) {
        var source = new PGSimpleDataSource();
        source.setUrl(url);
        return source;
    }

    private static AbstractThrowableAssert<?, ?> opening(PGSimpleDataSource source, boolean migrate) {
        return assertThatThrownBy(() -> PostgresStore.open(source, migrate).close())
                .isInstanceOf(LonghaulException.class)
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("\n"));
    }

    private static void refused(String user, String url, String advice) {
        var source = new PGSimpleDataSource();
        source.setUrl(url.replaceFirst("\\?.*", ""));
        source.setUser(user);
        source.setPassword("wrong");
        var config = new HikariConfig();
        config.setDataSource(source);
        config.setConnectionTimeout(3000);
        config.setInitializationFailTimeout(-1);
        try (var pool = new HikariDataSource(config)) {
            assertThatThrownBy(() -> PostgresStore.open(pool))
                    .isInstanceOf(LonghaulException.class)
                    .hasMessageContaining(user)
                    .hasMessageContaining("correct the " + advice)
                    .hasMessageNotContaining("try again");
        }
    }
}
