package dev.longhaul.embedded;

/** Someone else listens on the port; worth another try if we were free to choose it. */
final class PortTakenException extends EmbeddedPostgresException {
    PortTakenException(int port) {
        super("port: " + port + " is taken by another program (expected: a free port, or 0 to have one chosen)");
    }
}
