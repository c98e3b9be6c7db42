package dev.longhaul.spring.web.mvc;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;

/** Runs an action when an asynchronous response has ended for any reason. */
record AsyncEnd(Runnable action) implements AsyncListener {
    @Override
    public void onComplete(AsyncEvent event) {
        action.run();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        action.run();
    }

    @Override
    public void onError(AsyncEvent event) {
        action.run();
        try {
            event.getAsyncContext().complete();
        } catch (IllegalStateException e) {
            // It has ended.
        }
    }

    @Override
    public void onStartAsync(AsyncEvent event) {}
}
