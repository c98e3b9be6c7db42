package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.Longhaul;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class ConnectionLimitTest {
    private static final int LIMIT = 5;
    private static final byte[] HEALTH =
            "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(StandardCharsets.UTF_8);

    @Test
    void more_connections_are_closed_and_those_that_are_open_are_served() throws Exception {
        var listen = new ServerConfig.Listen("127.0.0.1", 0, null, LIMIT);
        var sockets = new ArrayList<Socket>();
        try (var longhaul = Longhaul.builder().memory().start();
                var server = LonghaulServer.start(longhaul, Doors.AT_ONCE.withListen(listen))) {
            try {
                for (int i = 0; i < LIMIT; i++) {
                    sockets.add(open(server));
                    assertThat(healthy(sockets.get(i))).isTrue();
                }
                for (int i = 0; i < 20; i++) {
                    try (Socket more = open(server)) {
                        assertThat(healthy(more)).isFalse();
                    }
                }
                for (Socket socket : sockets) {
                    assertThat(healthy(socket)).isTrue();
                }
                sockets.remove(0).close();
                Counting.await("a new connection is served after one was closed", () -> servesNewConnection(server));
            } finally {
                for (Socket socket : sockets) {
                    socket.close();
                }
            }
        }
    }

    @Test
    void the_default_leaves_half_of_the_open_files_to_others() {
        assertThat(OpenFiles.maxConnections(1024)).isEqualTo(512);
        assertThat(OpenFiles.maxConnections(1_048_576)).isEqualTo(10_000);
        assertThat(OpenFiles.maxConnections(64)).isEqualTo(100);
        assertThat(ServerConfig.LOCAL.listen().maxConnections()).isEqualTo(OpenFiles.maxConnections());
        assertThatThrownBy(() -> new ServerConfig.Listen("127.0.0.1", 0, null, 0))
                .hasMessageContaining("maxConnections: 0 (expected: >= 1)");
    }

    private static boolean servesNewConnection(LonghaulServer server) {
        try (Socket socket = open(server)) {
            return healthy(socket);
        } catch (IOException e) {
            return false;
        }
    }

    private static Socket open(LonghaulServer server) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setSoTimeout(20_000);
        return socket;
    }

    /** Whether a request gets a response; false if the connection is closed instead. */
    private static boolean healthy(Socket socket) throws IOException {
        try {
            socket.getOutputStream().write(HEALTH);
            var head = new StringBuilder();
            for (int next = socket.getInputStream().read();
                    next >= 0;
                    next = socket.getInputStream().read()) {
                head.append((char) next);
                if (head.indexOf("\r\n\r\n") > 0) {
                    int length = Integer.parseInt(head.toString().replaceAll("(?is).*content-length: (\\d+).*", "$1"));
                    socket.getInputStream().readNBytes(length);
                    return head.toString().startsWith("HTTP/1.1 200");
                }
            }
            return false;
        } catch (SocketException e) {
            return false;
        }
    }
}
