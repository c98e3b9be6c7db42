package dev.longhaul.engine;

/** An exception whose {@code getMessage} throws. */
public final class Unspeakable extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
        throw new IllegalStateException("planted");
    }
}
