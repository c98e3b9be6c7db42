package dev.longhaul.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Locale;

/** Sends exactly what a test has written, also what no decent client would send. */
final class RawHttp {
    private RawHttp() {}

    /** The whole answer as text; header names in lower case. */
    static String send(int port, String... lines) {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000);
            String request = String.join("\r\n", lines) + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(UTF_8));
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static int status(String answer) {
        return Integer.parseInt(answer.split(" ", 3)[1]);
    }

    static boolean has(String answer, String header) {
        String head = answer.substring(0, Math.max(0, answer.indexOf("\r\n\r\n")));
        return (head + "\r\n").toLowerCase(Locale.ROOT).contains("\r\n" + header.toLowerCase(Locale.ROOT));
    }
}
