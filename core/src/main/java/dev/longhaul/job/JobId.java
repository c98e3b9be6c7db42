package dev.longhaul.job;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.text.Uuid7;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** The id of a job, a UUIDv7 created by the client that requests the job; its order is the order of creation. */
public record JobId(UUID value) implements Comparable<JobId> {
    private static final Uuid7 IDS = new Uuid7(System::currentTimeMillis);

    /** A new id, larger than all earlier ones of this process. */
    public static JobId next() {
        return new JobId(IDS.next());
    }

    /** The id written as {@code text}; anything but a UUID is an invalid argument. */
    public static JobId parse(String text) {
        try {
            UUID value = UUID.fromString(text);
            if (value.toString().equalsIgnoreCase(text)) {
                return new JobId(value);
            }
        } catch (IllegalArgumentException e) {
            // Reported below, together with text that only UUID.fromString accepts ("1-1-1-1-1").
        }
        throw new LonghaulException(
                ErrorCode.INVALID_ARGUMENT, List.of(new FieldError("jobId", text, "a UUID such as " + next())));
    }

    /** The creation time in the id, by the clock of its creator. */
    public Instant madeAt() {
        return Instant.ofEpochMilli(value.getMostSignificantBits() >>> 16);
    }

    /**
     * Orders ids as PostgreSQL orders them, byte by byte and unsigned; {@link UUID#compareTo} compares signed halves.
     */
    @Override
    public int compareTo(JobId other) {
        int high = Long.compareUnsigned(value.getMostSignificantBits(), other.value.getMostSignificantBits());
        return high != 0
                ? high
                : Long.compareUnsigned(value.getLeastSignificantBits(), other.value.getLeastSignificantBits());
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
