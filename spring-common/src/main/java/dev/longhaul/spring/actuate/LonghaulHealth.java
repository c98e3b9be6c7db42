package dev.longhaul.spring.actuate;

import dev.longhaul.Longhaul;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.spi.Health;

/** Whether jobs can be stored and run here, for the health indicators of the starters. */
public final class LonghaulHealth {
    private final Longhaul longhaul;

    public LonghaulHealth(Longhaul longhaul) {
        this.longhaul = longhaul;
    }

    public Health check() {
        try {
            longhaul.store().checkWritable();
        } catch (LonghaulException e) {
            return new Health(false, String.valueOf(e.getMessage()));
        }
        return longhaul.health();
    }
}
