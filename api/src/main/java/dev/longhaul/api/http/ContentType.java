package dev.longhaul.api.http;

/** The content types of responses. */
public final class ContentType {
    public static final String JSON = "application/json; charset=utf-8";
    public static final String PROBLEM = "application/problem+json; charset=utf-8";
    public static final String EVENTS = "text/event-stream; charset=utf-8";
    public static final String TEXT = "text/plain; charset=utf-8";
    public static final String HTML = "text/html; charset=utf-8";
    public static final String CSS = "text/css; charset=utf-8";
    public static final String JAVASCRIPT = "text/javascript; charset=utf-8";
    public static final String SVG = "image/svg+xml; charset=utf-8";
    public static final String PNG = "image/png";

    private ContentType() {}
}
