package dev.longhaul.api.http;

/** The HTTP methods that routes use. */
public enum Method {
    GET,
    POST,
    PUT,
    PATCH,
    DELETE;

    /** Returns whether the method only reads. */
    public static boolean reads(String method) {
        return method.equals("GET") || method.equals("HEAD");
    }
}
