package dev.longhaul.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The server stops when the process that started it is killed, and the next start recovers. */
@Tag("full")
@EnabledOnOs(OS.LINUX)
class OwnerDeathTest {
    @TempDir
    private static Path home;

    /** Shared by all tests: each must leave it usable for the next. */
    @BeforeAll
    static void prepare() {
        EmbeddedPostgres.start(EmbeddedPostgresConfig.in(home)).close();
    }

    @Nested
    class Killed {
        @Test
        void stops_the_server() throws Exception {
            try (var owner = ChildJvm.start(home)) {
                var postmaster = owner.postmaster();
                owner.kill();
                postmaster.onExit().get(2, TimeUnit.SECONDS);
                assertRowIsKeptOf(owner);
            }
        }

        @Test
        void leaves_a_server_that_the_next_start_waits_for() throws Exception {
            try (var owner = ChildJvm.start(home)) {
                owner.kill();
                assertRowIsKeptOf(owner);
            }
        }

        @Test
        void together_with_its_supervisor_leaves_an_orphan_that_the_next_start_stops() throws Exception {
            try (var owner = ChildJvm.start(home)) {
                var postmaster = owner.postmaster();
                var supervisor = postmaster.parent().orElseThrow();
                supervisor
                        .children()
                        .filter(child -> !child.equals(postmaster))
                        .forEach(ProcessHandle::destroyForcibly);
                supervisor.destroyForcibly();
                owner.kill();
                assertThat(postmaster.isAlive()).isTrue();
                assertRowIsKeptOf(owner);
                // Not isAlive(): the process entry stays until its new parent reaps it.
                assertThat(postmaster.info().command()).isEmpty();
            }
        }
    }

    @Nested
    class Interrupted {
        @Test
        void from_the_terminal_can_still_use_the_server_to_drain() throws Exception {
            // A JVM ignores SIGINT if its parent did, as in background jobs of a shell.
            try (var owner = ChildJvm.start(home, "setsid", "env", "--default-signal=INT")) {
                owner.interruptGroup();
                assertThat(home.resolve("drained")).exists();
            }
        }
    }

    @Nested
    class StalePidFile {
        @Test
        void with_the_process_id_of_another_program_is_ignored() throws Exception {
            var bystander = new ProcessBuilder("/bin/cat")
                    .directory(home.resolve("data").toFile())
                    .start();
            startDespite(bystander);
        }

        @Test
        void with_the_process_id_of_a_server_on_other_data_is_ignored() throws Exception {
            var impostor = Files.copy(Path.of("/bin/cat"), home.resolve("postgres"));
            startDespite(new ProcessBuilder(impostor.toString())
                    .directory(home.toFile())
                    .start());
        }

        @Test
        void that_is_empty_is_ignored() throws Exception {
            Files.writeString(home.resolve("data/postmaster.pid"), "");
            EmbeddedPostgres.start(EmbeddedPostgresConfig.in(home)).close();
        }

        private void startDespite(Process bystander) throws Exception {
            try {
                var data = home.resolve("data");
                Files.writeString(
                        data.resolve("postmaster.pid"),
                        "%d\n%s\n1700000000\n5432\n\n127.0.0.1\n  1 1\nready   \n".formatted(bystander.pid(), data));
                EmbeddedPostgres.start(EmbeddedPostgresConfig.in(home)).close();
                assertThat(bystander.isAlive()).isTrue();
            } finally {
                bystander.destroyForcibly();
            }
        }
    }

    private static void assertRowIsKeptOf(ChildJvm owner) throws Exception {
        try (var postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(home))) {
            assertThat(Sql.query(postgres, "select count(*) from kept where owner = " + owner.pid()))
                    .isEqualTo("1");
        }
    }
}
