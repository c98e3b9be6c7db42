package dev.longhaul.api.http;

/** The methods that routes use. */
public enum Method {
    GET,
    POST,
    PUT,
    PATCH,
    DELETE;

    /** Whether requests with the method only read. */
    public static boolean reads(String method) {
        return method.equals("GET") || method.equals("HEAD");
    }
}
