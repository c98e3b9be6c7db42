package dev.longhaul.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A stream that ends with a mark and a short line after it, though more may come on what it reads from. */
final class MarkedStream extends InputStream {
    private static final int SIZE = 32 << 10;

    private final InputStream in;
    private final byte[] mark;
    private final byte[] buffer = new byte[SIZE];
    private int from;
    private int to;
    private boolean ended;
    private volatile @Nullable String said;

    MarkedStream(InputStream in, String mark) {
        this.in = in;
        this.mark = mark.getBytes(StandardCharsets.US_ASCII);
    }

    /** What came after the mark; null if everything ended without one. */
    @Nullable
    String said() {
        return said;
    }

    /** Reads up to the next mark from now on. */
    void goOn() {
        ended = false;
        said = null;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (!ended) {
            int plain = untilMark();
            if (plain > from) {
                int count = Math.min(length, plain - from);
                System.arraycopy(buffer, from, bytes, offset, count);
                from += count;
                return count;
            }
            ended = isMarkWhole() || !fill();
        }
        return -1;
    }

    /** Where the mark begins, or what could be one when more has come. */
    private int untilMark() {
        for (int i = from; i < to; i++) {
            int length = Math.min(mark.length, to - i);
            if (buffer[i] == mark[0] && isMark(i, length)) {
                return i;
            }
        }
        return to;
    }

    private boolean isMark(int at, int length) {
        for (int i = 1; i < length; i++) {
            if (buffer[at + i] != mark[i]) {
                return false;
            }
        }
        return true;
    }

    /** Takes the mark with its line, if both are there. */
    private boolean isMarkWhole() {
        for (int i = from + mark.length; i < to; i++) {
            if (buffer[i] == '\n') {
                said = new String(buffer, from + mark.length, i - from - mark.length, StandardCharsets.US_ASCII);
                from = i + 1;
                return true;
            }
        }
        return false;
    }

    private boolean fill() throws IOException {
        System.arraycopy(buffer, from, buffer, 0, to - from);
        to -= from;
        from = 0;
        int count = in.read(buffer, to, SIZE - to);
        to += Math.max(count, 0);
        return count >= 0;
    }
}
