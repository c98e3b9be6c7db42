package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.longhaul.Longhaul;
import dev.longhaul.access.AccessStore;
import dev.longhaul.access.ApiKey;
import dev.longhaul.access.Role;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.server.access.Callers;
import dev.longhaul.server.access.Keys;
import dev.longhaul.server.access.SecretFile;
import dev.longhaul.testing.LogOf;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartRulesTest {
    private final Longhaul longhaul = Longhaul.builder().memory().start();
    private final AccessStore store = longhaul.store().access();

    @AfterEach
    void close() {
        longhaul.close();
    }

    private static ServerConfig everywhere(List<String> proxies) {
        return ServerConfig.LOCAL
                .withListen(new ServerConfig.Listen("0.0.0.0", 0, null))
                .withCallers(new Callers(null, List.of(), proxies));
    }

    /** Warnings that a class logged during the action. */
    private static List<String> warnings(Class<?> by, Runnable doing) {
        try (var log = new LogOf(by)) {
            doing.run();
            return log.lines();
        }
    }

    @Nested
    class OtherMachines {
        @Test
        void without_a_key_the_server_does_not_start_and_the_error_names_the_fix() {
            assertThatThrownBy(() -> LonghaulServer.start(longhaul, everywhere(List.of())))
                    .isInstanceOfSatisfying(
                            LonghaulException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION))
                    .hasMessageContaining("longhaul keys create --role admin")
                    .hasMessageContaining("--data-dir")
                    .hasMessageContaining("LONGHAUL_ADMIN_KEY_FILE");
        }

        @Test
        void a_revoked_key_is_not_enough() {
            Keys.revoke(store, Keys.create(store, "a", Role.ADMIN, "test").key().id(), "test");
            assertThatThrownBy(() -> StartRules.check(store, everywhere(List.of())))
                    .hasMessageContaining("no valid API key exists");
        }

        @Test
        void without_tls_there_is_a_warning() {
            Keys.create(store, "a", Role.ADMIN, "test");
            List<String> said = warnings(StartRules.class, () -> StartRules.check(store, everywhere(List.of())));
            assertThat(said).singleElement().asString().contains("--tls-cert").contains("--trusted-proxies");
            List<String> proxied =
                    warnings(StartRules.class, () -> StartRules.check(store, everywhere(List.of("10.0.0.0/8"))));
            assertThat(proxied).isEmpty();
        }

        @Test
        void local_callers_are_no_admins_even_after_the_last_key_is_revoked() {
            Keys.Created only = Keys.create(store, "a", Role.ADMIN, "test");
            try (var server = LonghaulServer.start(longhaul, everywhere(List.of()))) {
                Api api = new Api(server.port());
                assertThat(api.withKey(only.secret()).get("/v1/keys").status()).isEqualTo(200);
                api.withKey(only.secret())
                        .send("DELETE", "/v1/keys/" + only.key().id(), null);
                assertThat(api.get("/v1/keys").status()).isEqualTo(401);
            }
        }

        @Test
        void the_server_listens_on_a_single_address_of_this_machine() throws Exception {
            Keys.create(store, "a", Role.ADMIN, "test");
            Optional<String> own = NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
                    .map(InetAddress::getHostAddress)
                    .findFirst();
            assumeThat(own).as("this machine has a network").isPresent();
            var config = everywhere(List.of()).withListen(new ServerConfig.Listen(own.orElseThrow(), 0, null));
            try (var server = LonghaulServer.start(longhaul, config)) {
                URI ready = URI.create("http://" + own.orElseThrow() + ":" + server.port() + "/readyz");
                var response = HttpClient.newHttpClient()
                        .send(HttpRequest.newBuilder(ready).build(), HttpResponse.BodyHandlers.ofString());
                assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            }
        }

        @Test
        void an_invalid_host_is_refused() {
            var config = ServerConfig.LOCAL.withListen(new ServerConfig.Listen("no such host", 0, null));
            assertThatThrownBy(() -> LonghaulServer.start(longhaul, config)).hasMessageContaining("no such host");
        }

        @Test
        void invalid_blocks_and_addresses_are_refused() {
            assertThatThrownBy(() -> everywhere(List.of("10.0.0.0/8", "proxy.local")))
                    .hasMessageContaining("trustedProxies");
            assertThatThrownBy(() -> everywhere(List.of("10.0.0.0/99"))).hasMessageContaining("trustedProxies");
            assertThatThrownBy(() -> new Callers(URI.create("jobs.example.com"), List.of(), List.of()))
                    .hasMessageContaining("publicUrl: jobs.example.com");
        }
    }

    @Nested
    class AdminKeyFile {
        private static final String SECRET = "0123456789abcdef0123456789abcdef";

        @TempDir
        Path folder;

        private Path file(String content, String permissions) throws IOException {
            Path file = Files.writeString(folder.resolve("admin.key"), content);
            return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        }

        @Test
        void its_content_is_the_first_admin_key() throws Exception {
            Path file = file("  " + SECRET + "\n", "rw-------");
            assertThat(warnings(
                            SecretFile.class,
                            () -> assertThat(Keys.addFirst(store, file)).isTrue()))
                    .isEmpty();
            assertThat(Keys.addFirst(store, file)).isFalse();
            ApiKey key = store.keys().get(0);
            assertThat(key.role()).isEqualTo(Role.ADMIN);
            try (var server = LonghaulServer.start(longhaul, everywhere(List.of()))) {
                assertThat(new Api(server.port())
                                .withKey(SECRET)
                                .get("/v1/keys")
                                .status())
                        .isEqualTo(200);
            }
            assertThat(store.audit(null, 10).toString()).contains("key.create").doesNotContain(SECRET);
        }

        @Test
        void it_does_nothing_once_there_is_a_key() {
            Keys.create(store, "a", Role.VIEWER, "test");
            assertThat(Keys.addFirst(store, folder.resolve("missing"))).isFalse();
            assertThat(store.keys()).hasSize(1);
        }

        @Test
        void a_revoked_key_stays_revoked() throws Exception {
            Path file = file(SECRET, "rw-------");
            Keys.addFirst(store, file);
            Keys.revoke(store, store.keys().get(0).id(), "test");
            assertThatThrownBy(() -> Keys.addFirst(store, file)).hasMessageContaining("was revoked");
            assertThat(Keys.anyValid(store)).isFalse();
        }

        @Test
        void one_that_others_may_read_is_warned_of() throws Exception {
            Path file = file(SECRET, "rw-r--r--");
            assertThat(warnings(SecretFile.class, () -> Keys.addFirst(store, file)))
                    .singleElement()
                    .asString()
                    .contains("chmod 640 " + file)
                    .doesNotContain(SECRET);
        }

        @Test
        void a_secret_of_few_different_characters_is_refused_without_showing_it() throws Exception {
            Path file = file("a".repeat(40), "rw-------");
            assertThatThrownBy(() -> Keys.addFirst(store, file))
                    .hasMessageContaining("only 1 different characters")
                    .hasMessageContaining("openssl rand")
                    .message()
                    .doesNotContain("aaaa");
            assertThat(store.anyKey()).isFalse();
        }

        @Test
        void a_secret_that_is_too_short_or_no_file_at_all_is_refused_without_showing_it() throws Exception {
            Path file = file("short-secret", "rw-------");
            assertThatThrownBy(() -> Keys.addFirst(store, file))
                    .hasMessageContaining("12 characters")
                    .hasMessageContaining("openssl rand")
                    .message()
                    .doesNotContain("short-secret");
            assertThatThrownBy(() -> Keys.addFirst(store, folder.resolve("missing")))
                    .hasMessageContaining("cannot be read");
        }
    }
}
