package dev.longhaul.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.function.Consumer;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Receives webhooks and verifies their signatures, with nothing but the JDK. */
final class WebhookReceiver implements AutoCloseable {
    private final HttpServer server;
    private final String secret;
    private final Consumer<String> genuine;

    WebhookReceiver(String secret, Consumer<String> genuine) throws IOException {
        this.secret = secret;
        this.genuine = genuine;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::receive);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/jobs";
    }

    // region verify
    private void receive(HttpExchange exchange) throws IOException {
        String id =
                exchange.getRequestHeaders().getFirst("webhook-id"); // the same for every attempt: skip ids you know
        String timestamp = exchange.getRequestHeaders().getFirst("webhook-timestamp");
        String signatures = exchange.getRequestHeaders().getFirst("webhook-signature");
        String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
        boolean ok = verify(secret, id + "." + timestamp + "." + body, signatures);
        if (ok) {
            genuine.accept(body);
        }
        exchange.sendResponseHeaders(ok ? 204 : 401, -1);
        exchange.close();
    }

    /** Whether one of the signatures, {@code v1,…} separated by spaces, was made with the secret. */
    static boolean verify(String secret, String content, String signatures) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.substring("whsec_".length())), "HmacSHA256"));
            byte[] expected =
                    ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(content.getBytes(UTF_8)))).getBytes(UTF_8);
            for (String signature : signatures.split(" ", -1)) {
                if (MessageDigest.isEqual(expected, signature.getBytes(UTF_8))) {
                    return true;
                }
            }
            return false;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
    // endregion

    @Override
    public void close() {
        server.stop(0);
    }
}
