package dev.longhaul.engine;

/** What nobody can tell of: even its message throws. */
public final class Unspeakable extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
        throw new IllegalStateException("planted");
    }
}
