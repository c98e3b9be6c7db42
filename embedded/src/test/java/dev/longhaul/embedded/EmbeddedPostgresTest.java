package dev.longhaul.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedPostgresTest {
    private static final Path POSTGRES_15 = Path.of("/usr/lib/postgresql/15/bin");

    @TempDir
    private static Path home;

    private static EmbeddedPostgres postgres;

    @BeforeAll
    static void start() throws Exception {
        postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(home).withSetting("max_connections", "42"));
        Sql.execute(postgres, "create table kept (id int)");
    }

    @AfterAll
    static void stop() {
        postgres.close();
    }

    @Nested
    class Start {
        @Test
        void is_durable() throws Exception {
            for (var setting : List.of("fsync", "synchronous_commit", "full_page_writes", "data_checksums")) {
                assertThat(show(setting)).as(setting).isEqualTo("on");
            }
        }

        @Test
        void uses_utf_8_and_the_same_sort_order_everywhere() throws Exception {
            assertThat(show("server_encoding")).isEqualTo("UTF8");
            assertThat(Sql.query(postgres, "select datcollate from pg_database where datname = 'postgres'"))
                    .isIn("C.UTF-8", "C");
            assertThat(Sql.query(postgres, "select reset_val from pg_settings where name = 'log_timezone'"))
                    .isEqualTo("UTC");
        }

        @Test
        void listens_on_this_machine_only_and_requires_the_password() throws Exception {
            assertThat(show("listen_addresses")).isEqualTo("127.0.0.1");
            assertThat(show("unix_socket_directories")).isEmpty();
            assertThat(show("password_encryption")).isEqualTo("scram-sha-256");
            assertThatThrownBy(() -> DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), "wrong"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("password authentication failed");
        }

        @Test
        void makes_the_password_file_private() throws Exception {
            var file = home.resolve("password");
            assertThat(Files.readString(file).strip()).isEqualTo(postgres.password());
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
        }

        @Test
        void uses_the_given_settings() throws Exception {
            assertThat(show("max_connections")).isEqualTo("42");
        }

        private String show(String setting) throws SQLException {
            return Sql.query(postgres, "show " + setting);
        }
    }

    @Nested
    class Again {
        @Test
        void close_keeps_the_data_for_the_next_start(@TempDir Path other) throws Exception {
            var first = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(other));
            Sql.execute(first, "create table kept as select 7 as id");
            first.close();
            first.close();
            assertThatThrownBy(first::startServer).isInstanceOf(IllegalStateException.class);
            try (var second = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(other))) {
                assertThat(second.password()).isEqualTo(first.password());
                assertThat(Sql.query(second, "select id from kept")).isEqualTo("7");
            }
        }

        @Test
        void a_stopped_server_starts_again_on_its_port() throws Exception {
            var port = postgres.port();
            postgres.stopServer();
            postgres.stopServer();
            assertThatThrownBy(() -> Sql.connect(postgres)).isInstanceOf(SQLException.class);
            postgres.startServer();
            postgres.startServer();
            assertThat(postgres.port()).isEqualTo(port);
            assertThat(Sql.query(postgres, "select 1")).isEqualTo("1");
        }

        @Test
        void a_crashed_server_recovers_committed_data() throws Exception {
            Sql.execute(postgres, "insert into kept values (8)");
            try (var open = Sql.connect(postgres);
                    var statement = open.createStatement()) {
                open.setAutoCommit(false);
                statement.execute("insert into kept values (-8)");
                postgres.crashServer();
            }
            postgres.startServer();
            assertThat(Files.readString(home.resolve("postgres.log"))).contains("automatic recovery in progress");
            assertThat(Sql.query(postgres, "select string_agg(id::text, ',') from kept where abs(id) = 8"))
                    .isEqualTo("8");
        }

        @Test
        void a_server_whose_postmaster_was_killed_recovers_while_its_children_still_run() throws Exception {
            Sql.execute(postgres, "insert into kept values (9)");
            var postmaster = ProcessHandle.of(postgres.postmasterPid()).orElseThrow();
            var supervisor = postmaster.parent().orElseThrow();
            postmaster.destroyForcibly();
            supervisor.onExit().get(10, TimeUnit.SECONDS);
            postgres.startServer();
            assertThat(Sql.query(postgres, "select count(*) from kept where id = 9"))
                    .isEqualTo("1");
        }
    }

    @Nested
    class Installation {
        @Test
        void runs_an_installed_postgresql(@TempDir Path other) throws Exception {
            assumeTrue(Files.isDirectory(POSTGRES_15), "PostgreSQL 15 is not installed");
            var config = EmbeddedPostgresConfig.in(other).withInstallation(POSTGRES_15);
            try (var fifteen = EmbeddedPostgres.start(config)) {
                assertThat(Sql.query(fifteen, "show server_version")).startsWith("15.");
                assertThat(Sql.query(fifteen, "show data_checksums")).isEqualTo("on");
            }
        }
    }
}
