package dev.longhaul.server.rest;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;

/** Reads and changes the process's log level at runtime. */
public interface LogLevel {
    /** For servers embedded in a program that configures its own logging. */
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
                    ErrorCode.FAILED_PRECONDITION, "the program that embeds this server configures the log level");
        }
    };

    /** The current level, in the format of {@link LogLevels}. */
    String get();

    /** Sets the levels; loggers that are no longer named get their configured level back. */
    void set(LogLevels levels);
}
