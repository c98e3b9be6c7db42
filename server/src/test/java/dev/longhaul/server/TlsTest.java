package dev.longhaul.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.longhaul.Longhaul;
import dev.longhaul.access.Role;
import dev.longhaul.server.access.Keys;
import dev.longhaul.server.access.SecretFile;
import dev.longhaul.testing.LogOf;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class TlsTest {
    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    Path folder;

    private KeyStore selfSigned;

    @BeforeEach
    void signs_itself() throws Exception {
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
                        "san=dns:localhost,ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        new String(PASSWORD),
                        "-keystore",
                        file.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), UTF_8);
        assertThat(keytool.waitFor()).as(said).isZero();
        selfSigned = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            selfSigned.load(in, PASSWORD);
        }
    }

    private ServerConfig config() throws Exception {
        Path certificate = pem("CERTIFICATE", selfSigned.getCertificate("self").getEncoded());
        Path key = pem("PRIVATE KEY", selfSigned.getKey("self", PASSWORD).getEncoded());
        var tls = new ServerConfig.Tls(certificate, key);
        return ServerConfig.LOCAL
                .withListen(new ServerConfig.Listen("127.0.0.1", 0, tls))
                .withDrain(Duration.ofMillis(50));
    }

    private Path pem(String kind, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        String whole = "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n";
        return Files.writeString(folder.resolve(kind.replace(' ', '-') + ".pem"), whole);
    }

    private HttpClient trusting() throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("self", selfSigned.getCertificate("self"));
        var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        var context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }

    @Test
    void a_private_key_that_others_can_read_is_warned_of() throws Exception {
        ServerConfig config = config();
        Path key = Objects.requireNonNull(config.listen().tls()).key();
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        try (var log = new LogOf(SecretFile.class);
                var longhaul = Longhaul.builder().memory().start();
                var server = LonghaulServer.start(longhaul, config)) {
            assertThat(server.port()).isPositive();
            assertThat(log.lines()).singleElement().asString().contains("chmod 600 " + key);
        }
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        try (var log = new LogOf(SecretFile.class);
                var longhaul = Longhaul.builder().memory().start();
                var server = LonghaulServer.start(longhaul, config)) {
            assertThat(server.port()).isPositive();
            assertThat(log.lines()).isEmpty();
        }
    }

    @Test
    void a_client_that_trusts_the_certificate_is_served_encrypted() throws Exception {
        try (Longhaul longhaul = Longhaul.builder().memory().start();
                LonghaulServer server = LonghaulServer.start(longhaul, config())) {
            String secret = Keys.create(longhaul.store().access(), "a", Role.VIEWER, "test")
                    .secret();
            URI url = URI.create("https://localhost:" + server.port() + "/v1/session");
            HttpResponse<String> answer = trusting()
                    .send(
                            HttpRequest.newBuilder(url)
                                    .header("Content-Type", "application/json")
                                    .POST(HttpRequest.BodyPublishers.ofString("{\"key\":\"" + secret + "\"}"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.sslSession()).isPresent();
            assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
            assertThat(answer.headers().firstValue("set-cookie").orElse("")).contains("Secure");
            assertThat(answer.headers().firstValue("strict-transport-security").orElse(""))
                    .startsWith("max-age=");
            assertThat(warned(() -> RawHttp.send(server.port(), "GET /healthz HTTP/1.1", "Host: localhost")))
                    .singleElement()
                    .satisfies(line -> {
                        assertThat(line.getFormattedMessage()).contains("does not speak TLS");
                        assertThat(line.getThrowableProxy()).isNull();
                    });
            assertThatThrownBy(() -> HttpClient.newHttpClient()
                            .send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.ofString()))
                    .isInstanceOf(IOException.class);
        }
    }

    /** Connection warnings logged during the action; servers of other tests have no TLS. */
    private static List<ILoggingEvent> warned(Runnable doing) {
        var appender = new ListAppender<ILoggingEvent>();
        var root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        appender.start();
        root.addAppender(appender);
        try {
            doing.run();
        } finally {
            root.detachAppender(appender);
        }
        return appender.list.stream()
                .filter(line -> line.getLoggerName().endsWith("HttpServerPipelineConfigurator")
                        || line.getLoggerName().endsWith("PlainHttpRefusal"))
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.WARN))
                .toList();
    }
}
