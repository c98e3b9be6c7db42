package dev.longhaul.server.connect;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Messages with and without their frame, and compressed. */
final class Frames {
    static final int HEAD = 5;

    private Frames() {}

    static byte[] of(int flags, byte[] message) {
        return ByteBuffer.allocate(HEAD + message.length)
                .put((byte) flags)
                .putInt(message.length)
                .put(message)
                .array();
    }

    static byte[] zipped(byte[] bytes, int from) {
        var out = new ByteArrayOutputStream();
        try (var zip = new GZIPOutputStream(out)) {
            zip.write(bytes, from, bytes.length - from);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return out.toByteArray();
    }

    /** The message, of which no more than {@code most + 1} bytes are made. */
    static byte[] unzipped(byte[] bytes, int most) throws IOException {
        try (var zip = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            return zip.readNBytes(most + 1);
        }
    }
}
