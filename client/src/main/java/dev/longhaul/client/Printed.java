package dev.longhaul.client;

import dev.longhaul.process.supervise.Output;
import dev.longhaul.spi.Execution;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;

/**
 * Stores the output of this process as output of a job, until it is closed. The output is also printed, for the
 * container's log.
 */
final class Printed implements AutoCloseable {
    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    private final OutputStream toOut;
    private final OutputStream toErr;
    private final Output output;

    private Printed(Execution execution) throws IOException {
        Pipe first = Pipe.open();
        Pipe second = Pipe.open();
        toOut = Channels.newOutputStream(first.sink());
        toErr = Channels.newOutputStream(second.sink());
        output = new Output(
                Channels.newInputStream(first.source()), Channels.newInputStream(second.source()), execution);
        System.setOut(both(out, toOut));
        System.setErr(both(err, toErr));
    }

    static Printed capture(Execution execution) {
        try {
            return new Printed(execution);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static PrintStream both(PrintStream shown, OutputStream stored) {
        OutputStream both = new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                shown.write(bytes, offset, length);
                shown.flush();
                stored.write(bytes, offset, length);
            }
        };
        return new PrintStream(both, true, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        System.out.flush();
        System.err.flush();
        System.setOut(out);
        System.setErr(err);
        try (toOut;
                toErr) {
            toOut.flush();
        } catch (IOException e) {
            // The reader has ended; everything that was read is stored.
        }
        output.await();
    }
}
