package dev.longhaul.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sends requests verbatim, also those that HTTP clients refuse to send. */
final class RawHttp {
    private static final Pattern LENGTH = Pattern.compile("(?i)content-length: (\\d+)");

    private RawHttp() {}

    /** The whole response as text. */
    static String send(int port, String... lines) {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000);
            String request = String.join("\r\n", lines) + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(UTF_8));
            InputStream in = socket.getInputStream();
            var answer = new ByteArrayOutputStream();
            // Not until the end of the stream: the server may wait for the rest of an incomplete request.
            for (int next = in.read(); next >= 0; next = in.read()) {
                answer.write(next);
                if (next == '\n' && answer.toString(UTF_8).endsWith("\r\n\r\n")) {
                    break;
                }
            }
            answer.write(in.readNBytes(length(answer.toString(UTF_8))));
            return answer.toString(UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int length(String head) {
        Matcher length = LENGTH.matcher(head);
        return length.find() ? Integer.parseInt(length.group(1)) : 0;
    }

    static int status(String answer) {
        return Integer.parseInt(answer.split(" ", 3)[1]);
    }

    static boolean has(String answer, String header) {
        String head = answer.substring(0, Math.max(0, answer.indexOf("\r\n\r\n")));
        return (head + "\r\n").toLowerCase(Locale.ROOT).contains("\r\n" + header.toLowerCase(Locale.ROOT));
    }
}
