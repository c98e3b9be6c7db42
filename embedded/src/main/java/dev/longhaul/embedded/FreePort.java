package dev.longhaul.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Finds a port nobody listens on. */
final class FreePort {
    /**
     * Below the ports that Linux and macOS give to outgoing connections. A port from there can be lost while the server
     * is stopped, even to a client that tries to reach it: connecting to a free port of its own range, it may be given
     * the very same port and end up talking to itself.
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
