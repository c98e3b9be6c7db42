package dev.longhaul.spring.web;

/** A running application that serves the dashboard at {@code /app/longhaul}. */
public interface Site extends AutoCloseable {
    int port();

    WebApi api();

    @Override
    void close();
}
