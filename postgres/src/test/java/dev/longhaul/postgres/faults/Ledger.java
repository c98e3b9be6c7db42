package dev.longhaul.postgres.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Stores entries. They survive when the writer is killed. */
interface Ledger {
    void write(List<Entry> entries);

    /** A ledger in a file, written straight to the operating system, which outlives a killed process. */
    static Ledger file(Path path) {
        try {
            var channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            return entries -> {
                String lines =
                        entries.stream().map(entry -> entry.line() + "\n").collect(Collectors.joining());
                try {
                    var bytes = ByteBuffer.wrap(lines.getBytes(StandardCharsets.UTF_8));
                    while (bytes.hasRemaining()) {
                        channel.write(bytes);
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            };
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The entries of a ledger file, without a last line that was cut off by a kill. */
    static List<Entry> read(Path path) {
        try {
            if (!Files.exists(path)) {
                return List.of();
            }
            String text = Files.readString(path);
            String whole = text.substring(0, text.lastIndexOf('\n') + 1);
            return whole.lines().map(Entry::parse).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A ledger in memory. */
    final class InMemory implements Ledger {
        private final List<Entry> entries = new ArrayList<>();

        @Override
        public synchronized void write(List<Entry> more) {
            entries.addAll(more);
        }

        synchronized List<Entry> entries() {
            return List.copyOf(entries);
        }
    }
}
