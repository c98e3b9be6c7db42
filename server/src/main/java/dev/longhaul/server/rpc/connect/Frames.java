package dev.longhaul.server.rpc.connect;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Messages with and without their frame, and compressed. */
final class Frames {
    static final int HEAD = 5;
    static final String GZIP = "gzip";
    /** The flag of a message that is compressed. */
    static final int ZIPPED = 1;

    private static final int WORTH_ZIPPING = 1024;

    private Frames() {}

    static byte[] of(int flags, byte[] message) {
        return ByteBuffer.allocate(HEAD + message.length)
                .put((byte) flags)
                .putInt(message.length)
                .put(message)
                .array();
    }

    /** Whether a message in its frame is long enough to be compressed. */
    static boolean worthZipping(int framed) {
        return framed > WORTH_ZIPPING;
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
