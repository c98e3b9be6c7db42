package dev.longhaul.postgres;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.testing.TestPostgres;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Errors of configuration name what to correct, and do not advise to try again. */
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
