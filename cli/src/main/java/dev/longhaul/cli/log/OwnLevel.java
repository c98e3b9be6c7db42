package dev.longhaul.cli.log;

import ch.qos.logback.core.PropertyDefinerBase;
import dev.longhaul.server.rest.LogLevels;

/** Returns the initial level of Longhaul's own loggers. {@code logback.xml} refers to this class. */
public final class OwnLevel extends PropertyDefinerBase {
    /** The system property that sets the level. Without it, the environment variable sets the level. */
    public static final String PROPERTY = "longhaul.log";

    public static final String USUAL = "warn";

    @Override
    public String getPropertyValue() {
        String set = System.getProperty(PROPERTY, System.getenv("LONGHAUL_LOG"));
        try {
            String own = set == null ? null : LogLevels.parse(set).own();
            return own == null ? USUAL : own;
        } catch (IllegalArgumentException e) {
            // An invalid level is reported later, when the server checks its settings.
            return USUAL;
        }
    }
}
