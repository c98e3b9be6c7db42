package dev.longhaul.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Finds a free port. */
final class FreePort {
    /**
     * The lowest port to try. It is below the ephemeral ports of Linux and macOS: while the server is stopped, an
     * outgoing connection could take an ephemeral port. Even a client that connects to the server may get that port as
     * its source port, and so connect to itself.
     */
    private static final int LOWEST = 20_000;

    private static final int HIGHEST = 29_999;
    private static final int ATTEMPTS = 100;

    private FreePort() {}

    static int choose() {
        for (int i = 0; i < ATTEMPTS; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST + 1);
            if (isFree(port)) {
                return port;
            }
        }
        throw new EmbeddedPostgresException(
                "no free port found between " + LOWEST + " and " + HIGHEST + ": choose one in the configuration");
    }

    private static boolean isFree(int port) {
        try (var socket = new ServerSocket(port, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
