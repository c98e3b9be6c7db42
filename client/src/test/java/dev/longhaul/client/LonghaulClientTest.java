package dev.longhaul.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.JobId;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LonghaulClientTest {
    /** gRPC's own backoff grows: the sixth attempt would be after 15 s, the tenth after two minutes. */
    @Test
    @Timeout(30)
    void retries_an_unavailable_server_about_every_second() throws Exception {
        try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                var client = LonghaulClient.connect(URI.create("http://127.0.0.1:" + silent.getLocalPort()), null)) {
            var call = CompletableFuture.runAsync(() -> client.get(JobId.next()));
            long start = System.nanoTime();
            for (int i = 0; i < 6; i++) {
                silent.accept().close();
            }

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
            assertThatThrownBy(call::join).hasCauseInstanceOf(LonghaulException.class);
        }
    }
}
