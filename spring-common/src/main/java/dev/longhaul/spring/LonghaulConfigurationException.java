package dev.longhaul.spring;

import org.jspecify.annotations.Nullable;

/** The application declares something that Longhaul cannot use, such as a database that is unavailable. Its context does not start. */
public final class LonghaulConfigurationException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String action;

    /** @param action what to change */
    public LonghaulConfigurationException(String message, String action) {
        this(message, action, null);
    }

    public LonghaulConfigurationException(String message, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    /** What to change. */
    public String action() {
        return action;
    }
}
