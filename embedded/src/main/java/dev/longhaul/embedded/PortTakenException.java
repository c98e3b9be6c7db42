package dev.longhaul.embedded;

/**
 * Thrown when another program listens on the port. The start is retried with another port, unless the port was
 * configured.
 */
final class PortTakenException extends EmbeddedPostgresException {
    PortTakenException(int port) {
        super("port: " + port + " is in use by another program (expected: a free port, or 0 to choose one)");
    }
}
