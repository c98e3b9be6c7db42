package dev.longhaul.server.access;

import dev.longhaul.error.Problems;

/**
 * Rate limits of requests, per server process. Local callers are not limited while no key exists.
 *
 * @param perKey requests of one key
 * @param perAddress requests of one client address without a key
 * @param failures requests of one client address with a key that does not exist or is revoked; cannot be unlimited
 */
public record RequestRates(Rate perKey, Rate perAddress, Rate failures) {
    /** The default limits: 1,000 requests a second for each key and each address, and 20 failures. */
    public static final RequestRates USUAL = new RequestRates(Rate.of(1000, 2), Rate.of(1000, 2), Rate.of(20, 2));

    public RequestRates {
        new Problems()
                .require(!failures.unlimited(), "failures", failures.perSecond(), ">= 1")
                .throwIfAny();
    }

    /**
     * A rate limit.
     *
     * @param perSecond requests per second; 0 is unlimited
     * @param burst maximum number of requests at once after a pause; at least one second's worth
     */
    public record Rate(int perSecond, int burst) {
        public static final Rate UNLIMITED = new Rate(0, 0);

        public Rate {
            new Problems()
                    .require(perSecond >= 0, "perSecond", perSecond, ">= 0")
                    .require(burst >= perSecond, "burst", burst, ">= perSecond, " + perSecond)
                    .throwIfAny();
        }

        /** @param burstSeconds the size of a burst, in seconds of the rate */
        public static Rate of(int perSecond, int burstSeconds) {
            return new Rate(perSecond, Math.multiplyExact(perSecond, burstSeconds));
        }

        boolean unlimited() {
            return perSecond == 0;
        }
    }
}
