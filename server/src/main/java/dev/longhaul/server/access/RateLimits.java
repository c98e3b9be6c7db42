package dev.longhaul.server.access;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.api.http.Recent;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;

/**
 * Limits requests per key and per address in this process. Responses have the headers {@code RateLimit-Policy} and
 * {@code RateLimit} of draft-ietf-httpapi-ratelimit-headers, from its eighth revision on.
 */
final class RateLimits {
    /** Maximum number of tracked callers. Beyond it, those with the oldest last request are forgotten. */
    private static final int MOST_BUCKETS = 10_000;

    private static final int NETWORK_BYTES = 8;

    private final Limit keys;
    private final Limit addresses;
    private final Limit failures;

    RateLimits(RequestRates rates) {
        this.keys = new Limit("key", rates.perKey());
        this.addresses = new Limit("address", rates.perAddress());
        this.failures = new Limit("failures", rates.failures());
    }

    void requestWith(ServiceRequestContext context, UUID keyId) {
        keys.take(context, keyId);
    }

    void requestFrom(ServiceRequestContext context, InetAddress client) {
        addresses.take(context, network(client));
    }

    /** Counts a request with a wrong secret as a failure of the client. */
    void failureFrom(ServiceRequestContext context, InetAddress client) {
        failures.take(context, network(client));
    }

    /** Returns the network that counts as one client: a /64 network for IPv6. */
    private static Object network(InetAddress address) {
        byte[] bytes = address.getAddress();
        return ByteBuffer.wrap(address instanceof Inet6Address ? Arrays.copyOf(bytes, NETWORK_BYTES) : bytes);
    }

    private static final class Limit {
        private final String name;
        private final RequestRates.Rate rate;
        private final Recent<Object, Bucket> buckets = new Recent<>(MOST_BUCKETS);
        private final String policy;

        Limit(String name, RequestRates.Rate rate) {
            this.name = name;
            this.rate = rate;
            long window = rate.unlimited() ? 1 : Math.max(1, Math.round((double) rate.burst() / rate.perSecond()));
            this.policy = "\"" + name + "\";q=" + rate.burst() + ";w=" + window;
        }

        void take(ServiceRequestContext context, Object who) {
            if (rate.unlimited()) {
                return;
            }
            ConsumptionProbe probe = bucket(who).tryConsumeAndReturnRemaining(1);
            if (probe.isConsumed()) {
                setHeaders(context, probe.getRemainingTokens(), seconds(probe.getNanosToWaitForReset()));
                return;
            }
            long wait = Math.max(1, seconds(probe.getNanosToWaitForRefill()));
            setHeaders(context, 0, wait);
            context.setAdditionalResponseHeader(HttpHeaderNames.RETRY_AFTER, Long.toString(wait));
            throw new LonghaulException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "too many requests (" + name + ": " + rate.perSecond() + " a second, " + rate.burst()
                            + " at once); try again in " + wait + " s");
        }

        private Bucket bucket(Object who) {
            return buckets.computeIfAbsent(
                    who,
                    () -> Bucket.builder()
                            .addLimit(limit ->
                                    limit.capacity(rate.burst()).refillGreedy(rate.perSecond(), Duration.ofSeconds(1)))
                            .build());
        }

        private void setHeaders(ServiceRequestContext context, long left, long seconds) {
            context.setAdditionalResponseHeader("ratelimit-policy", policy);
            context.setAdditionalResponseHeader("ratelimit", "\"" + name + "\";r=" + left + ";t=" + seconds);
        }

        private static long seconds(long nanos) {
            return (nanos + 999_999_999L) / 1_000_000_000L;
        }
    }
}
