package dev.longhaul.internal.text;

/** Checks the names of definitions, queues, labels and steps. */
public final class Names {
    /** The rule for names, as error messages show it. */
    public static final String RULE = "1 to 100 of A-Z a-z 0-9 . _ - beginning with a letter or digit";

    private static final int LONGEST = 100;

    private Names() {}

    public static boolean valid(String name) {
        if (name.isEmpty() || name.length() > LONGEST || !letterOrDigit(name.charAt(0))) {
            return false;
        }
        for (int i = 1; i < name.length(); i++) {
            char c = name.charAt(i);
            if (!letterOrDigit(c) && c != '.' && c != '_' && c != '-') {
                return false;
            }
        }
        return true;
    }

    private static boolean letterOrDigit(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }
}
