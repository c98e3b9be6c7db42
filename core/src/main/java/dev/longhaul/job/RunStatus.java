package dev.longhaul.job;

import java.util.Locale;

/** The status of a run. */
public enum RunStatus {
    RUNNING(0),
    SUCCEEDED(1),
    FAILED(2),
    CANCELLED(3),
    /** The handler requested to run again later; the attempt is not spent. */
    SNOOZED(4),
    /** The worker gave the job back unfinished; no attempt spent. */
    RELEASED(5),
    /** The worker stopped renewing its lease. */
    LOST(6);

    private final short code;

    RunStatus(int code) {
        this.code = (short) code;
    }

    /** The number by which stores keep this status. It must never change. */
    public short code() {
        return code;
    }

    public static RunStatus ofCode(int code) {
        return values()[code];
    }

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
