package dev.longhaul.testing;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Captures the log lines of a class until it is closed. */
public final class LogOf implements AutoCloseable {
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
    private final Logger logger;

    public LogOf(Class<?> by) {
        // SLF4J returns substitute loggers while another thread initialises it.
        while (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext)) {
            Thread.onSpinWait();
        }
        this.logger = (Logger) LoggerFactory.getLogger(by);
        appender.start();
        logger.addAppender(appender);
    }

    public List<String> lines() {
        return List.copyOf(appender.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
    }
}
