package dev.longhaul.schedule;

/** The fields of a cron expression, in the order in which they are written. */
enum CronField {
    SECOND("second", 0, 59, "0-59", ""),
    MINUTE("minute", 0, 59, "0-59", ""),
    HOUR("hour", 0, 23, "0-23", ""),
    DAY_OF_MONTH("dayOfMonth", 1, 31, "1-31, L, L-3, LW or 15W", ""),
    MONTH("month", 1, 12, "1-12 or JAN-DEC", "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC"),
    /** 0 and 7 are both Sunday. */
    DAY_OF_WEEK("dayOfWeek", 0, 7, "0-7, SUN-SAT, 5L or 5#3", "SUN MON TUE WED THU FRI SAT");

    /** Returned by {@link #value} and {@link #number} if the text is not a valid number or name. */
    static final int NONE = -1;

    private static final int NAME_LENGTH = 3;
    private static final int MOST_DIGITS = 4;

    final String title;
    final int min;
    final int max;
    /** The allowed values, as in error messages. */
    final String expected;

    private final String names;

    CronField(String title, int min, int max, String expected, String names) {
        this.title = title;
        this.min = min;
        this.max = max;
        this.expected = expected;
        this.names = names;
    }

    /** The last value that a star means: 7, the second number of Sunday, is excluded. */
    int last() {
        return this == DAY_OF_WEEK ? 6 : max;
    }

    long all() {
        return Bits.range(min, last());
    }

    /** Parses a number or a name; returns {@link #NONE} if it is not a value of this field. */
    int value(String text) {
        boolean name = text.length() == NAME_LENGTH && names.contains(text);
        int value = name ? min + names.indexOf(text) / (NAME_LENGTH + 1) : number(text);
        return value >= min && value <= max ? value : NONE;
    }

    /** Parses a number; returns {@link #NONE} if the text has other characters than digits, or too many digits. */
    static int number(String text) {
        boolean digits =
                !text.isEmpty() && text.length() <= MOST_DIGITS && text.chars().allMatch(c -> c >= '0' && c <= '9');
        return digits ? Integer.parseInt(text) : NONE;
    }
}
