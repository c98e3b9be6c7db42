package dev.longhaul.cli.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.EncoderBase;
import dev.longhaul.json.LiveSecrets;
import org.jspecify.annotations.Nullable;

/** Masks secrets in the output of another encoder. {@code logback.xml} refers to this class. */
public final class HidingEncoder extends EncoderBase<ILoggingEvent> {
    private @Nullable Encoder<ILoggingEvent> lines;

    /** Sets the encoder that formats the lines. */
    public void setLines(Encoder<ILoggingEvent> encoder) {
        lines = encoder;
    }

    private Encoder<ILoggingEvent> lines() {
        if (lines == null) {
            throw new IllegalStateException("lines: none (expected: an encoder)");
        }
        return lines;
    }

    @Override
    public byte @Nullable [] headerBytes() {
        return lines().headerBytes();
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        return LiveSecrets.hide(new String(lines().encode(event), UTF_8)).getBytes(UTF_8);
    }

    @Override
    public byte @Nullable [] footerBytes() {
        return lines().footerBytes();
    }
}
