package dev.longhaul.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The message of every failed start says in one line what to do. */
class RefusalTest {
    @TempDir
    private Path home;

    @Nested
    class InUse {
        @Test
        void by_this_process_and_then_still_by_another() throws Exception {
            try (var postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(home))) {
                refusal(EmbeddedPostgresConfig.in(home))
                        .hasMessageContaining("in use by another server (in this process)")
                        .hasMessageContaining("choose another directory");
                try (var child = ChildJvm.start(home)) {
                    assertThat(child.refusal())
                            .contains("in use by another server (process "
                                    + ProcessHandle.current().pid() + ")");
                }
                assertThat(Sql.query(postgres, "select 1")).isEqualTo("1");
            }
        }

        @Test
        void a_port_that_is_taken() throws Exception {
            try (var taken = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
                refusal(EmbeddedPostgresConfig.in(home).withPort(taken.getLocalPort()))
                        .hasMessageContaining("port: " + taken.getLocalPort() + " is in use");
            }
            // The failed start must release the lock.
            EmbeddedPostgres.start(EmbeddedPostgresConfig.in(home)).close();
        }
    }

    @Nested
    class Directory {
        @Test
        void of_another_version() throws Exception {
            Files.createDirectories(home.resolve("data"));
            Files.writeString(home.resolve("data/PG_VERSION"), "13\n");
            refusal(EmbeddedPostgresConfig.in(home))
                    .hasMessageContaining("was created by PostgreSQL 13, but this is PostgreSQL 18")
                    .hasMessageContaining("export");
        }

        @Test
        void with_other_data() throws Exception {
            Files.createDirectories(home.resolve("data/other files"));
            refusal(EmbeddedPostgresConfig.in(home)).hasMessageContaining("is not a PostgreSQL data directory");
        }

        @Test
        void that_cannot_be_written() throws Exception {
            var file = Files.writeString(home.resolve("file"), "");
            refusal(EmbeddedPostgresConfig.in(file.resolve("below")))
                    .hasMessageContaining("is not writable (Not a directory): choose a directory that you own");
        }

        @Test
        void whose_password_is_lost() throws Exception {
            Files.createDirectories(home.resolve("data"));
            Files.writeString(home.resolve("data/PG_VERSION"), "18\n");
            refusal(EmbeddedPostgresConfig.in(home)).hasMessageContaining("password is missing");
        }
    }

    @Nested
    class Server {
        @Test
        @Tag("full")
        void that_dies_while_starting() {
            refusal(EmbeddedPostgresConfig.in(home).withSetting("shared_buffers", "plenty"))
                    .hasMessageContaining("PostgreSQL failed to start")
                    .hasMessageContaining("invalid value for parameter \"shared_buffers\": \"plenty\"");
        }

        @Test
        void that_does_not_exist() {
            refusal(EmbeddedPostgresConfig.in(home).withInstallation(home))
                    .hasMessageContaining("expected: a directory with the programs postgres and initdb");
        }

        @Test
        @EnabledOnOs(OS.LINUX)
        void that_root_may_not_start() throws Exception {
            assumeTrue(unshareWorks(), "user namespaces are not allowed on this machine");
            var forbid = "echo 0 > /proc/sys/user/max_user_namespaces; exec \"$@\"";
            try (var child =
                    ChildJvm.start(home, "unshare", "--user", "--map-root-user", "/bin/sh", "-c", forbid, "sh")) {
                assertThat(child.refusal())
                        .contains("PostgreSQL does not run as root")
                        .contains("run as a normal user, or use an installed PostgreSQL");
            }
        }

        private boolean unshareWorks() throws IOException, InterruptedException {
            return new ProcessBuilder("unshare", "--user", "--map-root-user", "true")
                            .start()
                            .waitFor()
                    == 0;
        }
    }

    private static AbstractThrowableAssert<?, ?> refusal(EmbeddedPostgresConfig config) {
        return assertThatThrownBy(() -> EmbeddedPostgres.start(config).close())
                .isInstanceOf(EmbeddedPostgresException.class)
                .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("\n"));
    }
}
