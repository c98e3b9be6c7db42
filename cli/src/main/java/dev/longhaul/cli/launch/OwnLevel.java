package dev.longhaul.cli.launch;

import ch.qos.logback.core.PropertyDefinerBase;
import dev.longhaul.server.rest.LogLevels;

/** The level of Longhaul's own lines when the first is logged. Named in {@code logback.xml}. */
public final class OwnLevel extends PropertyDefinerBase {
    static final String USUAL = "warn";

    @Override
    public String getPropertyValue() {
        String set = System.getProperty(Logging.PROPERTY, System.getenv("LONGHAUL_LOG"));
        try {
            String own = set == null ? null : LogLevels.parse(set).own();
            return own == null ? USUAL : own;
        } catch (IllegalArgumentException e) {
            // Whoever starts a server is told.
            return USUAL;
        }
    }
}
