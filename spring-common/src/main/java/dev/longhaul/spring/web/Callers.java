package dev.longhaul.spring.web;

import dev.longhaul.api.http.Caller;

/** Decides who sends a request. */
public interface Callers {
    /** Returns the caller; throws {@link dev.longhaul.error.LonghaulException} if the request is rejected. */
    Caller of(Head request);

    /** Rejects requests, also those for pages that need no role. */
    default void guard(Head request) {}
}
