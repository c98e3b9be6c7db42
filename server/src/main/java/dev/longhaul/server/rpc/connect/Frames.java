package dev.longhaul.server.rpc.connect;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Frames and compresses messages of streams. */
final class Frames {
    static final int HEAD = 5;
    static final String GZIP = "gzip";
    /** The flag of a compressed message in its frame. */
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

    /** Returns whether a framed message is long enough to be compressed. */
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

    /** Decompresses a message. Stops after {@code most + 1} bytes. */
    static byte[] unzipped(byte[] bytes, int most) throws IOException {
        try (var zip = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            return zip.readNBytes(most + 1);
        }
    }
}
