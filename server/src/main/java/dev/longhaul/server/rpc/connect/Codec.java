package dev.longhaul.server.rpc.connect;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The encoding of messages. */
enum Codec {
    PROTO,
    JSON;

    String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the codec of a media type with the given prefix; null if there is none. */
    static @Nullable Codec of(String mediaType, String beginning) {
        for (Codec codec : values()) {
            if (mediaType.equals(beginning + codec.wireName())) {
                return codec;
            }
        }
        return null;
    }
}
