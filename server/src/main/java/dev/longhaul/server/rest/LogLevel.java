package dev.longhaul.server.rest;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;

/** How much the process logs, which may change while it runs. */
public interface LogLevel {
    /** Logging is the business of the program that this server is a part of. */
    LogLevel ELSEWHERE = new LogLevel() {
        @Override
        public String get() {
            throw loggedElsewhere();
        }

        @Override
        public void set(LogLevels levels) {
            throw loggedElsewhere();
        }

        private static LonghaulException loggedElsewhere() {
            return new LonghaulException(
                    ErrorCode.FAILED_PRECONDITION, "the program around this server sees to its own log");
        }
    };

    /** As {@link LogLevels} are written. */
    String get();

    /** Loggers that are named no more log as they did before. */
    void set(LogLevels levels);
}
