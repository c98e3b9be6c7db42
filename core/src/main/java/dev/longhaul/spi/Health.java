package dev.longhaul.spi;

/** Whether a part works, and the details. */
public record Health(boolean healthy, String detail) {
    public static final Health OK = new Health(true, "ok");
}
