package dev.longhaul.process.child;

import dev.longhaul.internal.text.Text;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One end of the connection between worker and child. Sends and receives {@link Word}s with texts, in order. */
public final class Wire implements AutoCloseable {
    /** Maximum bytes of a text; far above the limits of params, results and events. */
    private static final int LONGEST = 8 << 20;

    private static final int MOST_TEXTS = 16;
    private static final int NOTHING = -1;

    private final SocketChannel channel;
    private final DataInputStream in;
    private final DataOutputStream out;

    /** A received message. */
    public record Said(Word word, List<@Nullable String> texts) {
        public String text(int index) {
            String text = texts.get(index);
            if (text == null) {
                throw new IllegalStateException(word + ": no text " + index);
            }
            return text;
        }

        public int number(int index) {
            return Integer.parseInt(text(index));
        }
    }

    public Wire(SocketChannel channel) {
        this.channel = channel;
        this.in = new DataInputStream(new BufferedInputStream(ChannelStreams.in(channel)));
        this.out = new DataOutputStream(new BufferedOutputStream(ChannelStreams.out(channel)));
    }

    static Wire to(SocketAddress address) throws IOException {
        return new Wire(SocketChannel.open(address));
    }

    /** Sends a message. Validates all texts first, so that a too long text does not leave a partial message. */
    public synchronized void say(Word word, @Nullable String... texts) throws IOException {
        for (String text : texts) {
            if (text != null && Text.utf8Length(text) > LONGEST) {
                throw new IllegalArgumentException(word + ": text too long (at most " + LONGEST + " bytes)");
            }
        }
        out.writeUTF(word.name());
        out.writeByte(texts.length);
        for (String text : texts) {
            if (text == null) {
                out.writeInt(NOTHING);
            } else {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                out.writeInt(bytes.length);
                out.write(bytes);
            }
        }
        out.flush();
    }

    /** Receives the next message; null if the other end has closed the connection. */
    public @Nullable Said hear() throws IOException {
        Word word;
        try {
            word = Word.valueOf(in.readUTF());
        } catch (EOFException e) {
            return null;
        } catch (IllegalArgumentException e) {
            throw new IOException("unknown message type", e);
        }
        int count = in.readUnsignedByte();
        if (count > MOST_TEXTS) {
            throw new IOException(word + ": " + count + " texts (at most " + MOST_TEXTS + ")");
        }
        List<@Nullable String> texts = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            texts.add(text());
        }
        return new Said(word, texts);
    }

    private @Nullable String text() throws IOException {
        int length = in.readInt();
        if (length == NOTHING) {
            return null;
        }
        if (length < 0 || length > LONGEST) {
            throw new IOException("text of " + length + " bytes (at most " + LONGEST + ")");
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException();
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
