package dev.longhaul.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.Longhaul;
import dev.longhaul.server.LonghaulServer;
import dev.longhaul.server.ServerConfig;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientTlsTest {
    private static final String PASSWORD = "changeit";

    @TempDir
    private Path folder;

    @Test
    void a_server_that_signed_its_own_certificate_is_trusted_only_by_its_file() throws Exception {
        KeyStore store = selfSigned();
        Path certificate = pem("CERTIFICATE", store.getCertificate("self").getEncoded());
        Path key =
                pem("PRIVATE KEY", store.getKey("self", PASSWORD.toCharArray()).getEncoded());
        var config = ServerConfig.LOCAL
                .withListen(new ServerConfig.Listen("127.0.0.1", 0, new ServerConfig.Tls(certificate, key)))
                .withDrain(Duration.ofMillis(50));
        try (var longhaul = Longhaul.builder().memory().start();
                var server = LonghaulServer.start(longhaul, config)) {
            String url = "--url=https://localhost:" + server.port();
            ServerFixture.execute("queues", url, "--ca-file=" + certificate).exitsWith(0);
            assertThat(ServerFixture.execute("queues", url).exitsWith(7).err())
                    .contains("is not trusted", "--ca-file")
                    .doesNotContain("\tat ");
            assertThat(ServerFixture.execute("queues", url, "--ca-file=" + folder.resolve("none"))
                            .exitsWith(2)
                            .err())
                    .contains("ca-file");
            ServerFixture.execute("queues", url, "--ca-file=" + key).exitsWith(2);
        }
    }

    private KeyStore selfSigned() throws Exception {
        Path file = folder.resolve("self.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "self",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=longhaul test",
                        "-ext",
                        "san=dns:localhost",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        file.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), UTF_8);
        assertThat(keytool.waitFor()).as(said).isZero();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        return store;
    }

    private Path pem(String kind, byte[] content) throws Exception {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        String whole = "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n";
        return Files.writeString(folder.resolve(kind.replace(' ', '-') + ".pem"), whole);
    }
}
