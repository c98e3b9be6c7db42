package dev.longhaul.job;

import java.util.regex.Pattern;

/** The rule for keys of definitions, queues, labels and steps. */
public final class Names {
    /** The rule, as error messages say it. */
    public static final String RULE = "1 to 100 of A-Z a-z 0-9 . _ - beginning with a letter or digit";

    private static final Pattern VALID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    private Names() {}

    public static boolean valid(String name) {
        return VALID.matcher(name).matches();
    }
}
