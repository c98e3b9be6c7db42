package dev.longhaul.server.rest;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;

/** Reads and changes the process's log level at runtime. */
public interface LogLevel {
    /** The log level of a server that is embedded in a program with its own log configuration. */
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

    /** Returns the current level, in the format of {@link LogLevels}. */
    String get();

    /** Sets the levels. Loggers that are no longer named return to their configured level. */
    void set(LogLevels levels);
}
