package dev.longhaul.spi;

/** Whether something works, and what to say about it. */
public record Health(boolean healthy, String detail) {
    public static final Health OK = new Health(true, "ok");
}
