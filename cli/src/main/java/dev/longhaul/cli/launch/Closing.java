package dev.longhaul.cli.launch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes several resources in order. If closing one fails, continues with the next. */
final class Closing {
    private static final Logger LOG = LoggerFactory.getLogger(Closing.class);

    private Closing() {}

    static void all(Iterable<? extends AutoCloseable> parts) {
        for (AutoCloseable part : parts) {
            try {
                part.close();
            } catch (Exception e) {
                LOG.warn("closing {} failed", part.getClass().getSimpleName(), e);
            }
        }
    }
}
