package dev.longhaul.server.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.job.WebhookSecret;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs deliveries as Standard Webhooks specifies: HMAC-SHA256 over id, time and body, once for each secret. */
final class Signature {
    private static final String ALGORITHM = "HmacSHA256";

    private Signature() {}

    static String of(List<String> secrets, String id, long epochSecond, String body) {
        String signed = id + "." + epochSecond + "." + body;
        return secrets.stream()
                .map(secret -> "v1," + Base64.getEncoder().encodeToString(hmac(secret, signed)))
                .collect(Collectors.joining(" "));
    }

    private static byte[] hmac(String secret, String text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(WebhookSecret.bytes(secret), ALGORITHM));
            return mac.doFinal(text.getBytes(UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
