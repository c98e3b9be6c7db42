package dev.longhaul.server;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;

/** How much the process logs, which may change while it runs. */
public interface LogLevel {
    /** Logging is the business of the program that this server is a part of. */
    LogLevel ELSEWHERE = new LogLevel() {
        @Override
        public String get() {
            throw notHere();
        }

        @Override
        public void set(String level) {
            throw notHere();
        }

        private static LonghaulException notHere() {
            return new LonghaulException(
                    ErrorCode.FAILED_PRECONDITION, "the program around this server sees to its own log");
        }
    };

    /** Error, warn, info or debug, in small letters. */
    String get();

    void set(String level);
}
