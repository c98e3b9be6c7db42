package dev.longhaul.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.Longhaul;
import dev.longhaul.server.LonghaulServer;
import dev.longhaul.server.ServerConfig;
import dev.longhaul.testing.SelfSigned;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientTlsTest {
    @TempDir
    private Path folder;

    @Test
    void a_server_that_signed_its_own_certificate_is_trusted_only_by_its_file() throws Exception {
        var selfSigned = SelfSigned.in(folder);
        Path certificate = selfSigned.certificateFile();
        Path key = selfSigned.keyFile();
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
}
