package dev.longhaul.server;

import dev.longhaul.error.Problems;

/**
 * How much a caller may ask for. Whoever is on this machine while there are no keys is not limited.
 *
 * @param perKey requests of one key
 * @param perAddress requests of one client address that come with no valid key
 * @param failures wrong keys of one client address
 */
public record RequestRates(Rate perKey, Rate perAddress, Rate failures) {
    public static final RequestRates USUAL =
            new RequestRates(new Rate(1000, 2000), new Rate(1000, 2000), new Rate(20, 40));

    /**
     * So many per second for ever, and so many at once after a pause.
     *
     * @param burst at least one second's worth
     */
    public record Rate(int perSecond, int burst) {
        public Rate {
            new Problems()
                    .require(perSecond >= 1, "perSecond", perSecond, ">= 1")
                    .require(burst >= perSecond, "burst", burst, ">= perSecond, " + perSecond)
                    .throwIfAny();
        }
    }
}
