package dev.longhaul.cli.launch.process;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Finds a free port. */
public final class FreePort {
    private static final int MOST_STEPS = 100;

    private FreePort() {}

    /** Returns the given port if it is free, otherwise the next free one. */
    public static int from(String host, int wanted) {
        for (int port = wanted; port < wanted + MOST_STEPS && port <= 65_535; port++) {
            if (free(host, port)) {
                return port;
            }
        }
        throw new LonghaulException(
                ErrorCode.UNAVAILABLE,
                "port: " + wanted + " and the " + (MOST_STEPS - 1)
                        + " after it are in use (expected: a free port; set it with --port)");
    }

    private static boolean free(String host, int port) {
        try (var socket = new ServerSocket(port, 1, InetAddress.getByName(host))) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
