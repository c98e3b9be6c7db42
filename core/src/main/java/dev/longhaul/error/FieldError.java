package dev.longhaul.error;

/** One problem of a request: the field, its value, and the expectation. */
public record FieldError(String field, String value, String expected) {
    private static final int LONGEST_VALUE = 200;

    public FieldError {
        value = value.length() > LONGEST_VALUE ? value.substring(0, LONGEST_VALUE) + "…" : value;
    }

    @Override
    public String toString() {
        return field + ": " + value + " (expected: " + expected + ")";
    }
}
