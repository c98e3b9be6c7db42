package dev.longhaul.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WaitingTest {
    private static final byte[] RUNNING = "{\"jobId\":\"x\",\"status\":\"running\"}".getBytes(UTF_8);

    /** A server that is shutting down responds immediately. */
    @Test
    void polls_a_server_that_responds_immediately_only_once_a_second() throws IOException {
        var asked = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/jobs", exchange -> {
            asked.addAndGet(exchange.getRequestMethod().equals("GET") ? 1 : 0);
            exchange.sendResponseHeaders(200, RUNNING.length);
            exchange.getResponseBody().write(RUNNING);
            exchange.close();
        });
        server.start();
        try {
            var nowhere = new PrintWriter(new StringWriter());
            int exitCode = Main.commandLine(nowhere, nowhere)
                    .execute(
                            "submit",
                            "test.echo",
                            "--wait",
                            "--wait-timeout=1500ms",
                            "--url=http://127.0.0.1:" + server.getAddress().getPort());
            assertThat(exitCode).isEqualTo(12);
            assertThat(asked).hasValueBetween(1, 3);
        } finally {
            server.stop(0);
        }
    }
}
