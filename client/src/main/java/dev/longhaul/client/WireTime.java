package dev.longhaul.client;

import com.google.protobuf.Timestamp;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Converts times and durations to and from protobuf. */
public final class WireTime {
    private static final int NANOS = 1_000_000_000;

    private WireTime() {}

    public static Timestamp of(Instant instant) {
        return Timestamp.newBuilder()
                .setSeconds(instant.getEpochSecond())
                .setNanos(instant.getNano())
                .build();
    }

    public static com.google.protobuf.Duration of(Duration duration) {
        return com.google.protobuf.Duration.newBuilder()
                .setSeconds(duration.toSeconds())
                .setNanos(duration.toNanosPart())
                .build();
    }

    /** Returns the instant in {@code field}. */
    public static Instant instant(String field, Timestamp time) {
        try {
            if (time.getNanos() >= 0 && time.getNanos() < NANOS) {
                return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
            }
        } catch (DateTimeException e) {
            // The value is reported as invalid below.
        }
        throw bad(field, time.getSeconds() + " s, " + time.getNanos() + " ns", "a valid time");
    }

    /** Returns the duration in {@code field}; rejects a negative one. */
    public static Duration duration(String field, com.google.protobuf.Duration duration) {
        long seconds = duration.getSeconds();
        int nanos = duration.getNanos();
        if (seconds < 0 || nanos < 0 || nanos >= NANOS) {
            throw bad(field, seconds + " s, " + nanos + " ns", ">= 0");
        }
        return Duration.ofSeconds(seconds).plusNanos(nanos);
    }

    private static LonghaulException bad(String field, String value, String expected) {
        return new LonghaulException(ErrorCode.INVALID_ARGUMENT, List.of(new FieldError(field, value, expected)));
    }
}
