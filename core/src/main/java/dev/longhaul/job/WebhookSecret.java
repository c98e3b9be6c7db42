package dev.longhaul.job;

import java.security.SecureRandom;
import java.util.Base64;

/** A signing key of deliveries, in the form of Standard Webhooks: {@code whsec_} and Base64. */
public final class WebhookSecret {
    public static final String RULE = "whsec_ and 24 to 64 bytes in Base64";

    private static final String PREFIX = "whsec_";
    private static final int FEWEST_BYTES = 24;
    private static final int MOST_BYTES = 64;
    private static final int USUAL_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private WebhookSecret() {}

    public static String random() {
        var bytes = new byte[USUAL_BYTES];
        RANDOM.nextBytes(bytes);
        return PREFIX + Base64.getEncoder().encodeToString(bytes);
    }

    /** The bytes of the key. */
    public static byte[] bytes(String secret) {
        return Base64.getDecoder().decode(secret.substring(PREFIX.length()));
    }

    public static boolean valid(String secret) {
        try {
            int length = secret.startsWith(PREFIX) ? bytes(secret).length : 0;
            return length >= FEWEST_BYTES && length <= MOST_BYTES;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
