package dev.longhaul.api.rest;

import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Traces requests that submit jobs. */
public interface RequestTracing {
    /** Creates no spans; jobs continue the trace of the request. */
    RequestTracing OFF = new RequestTracing() {
        private static final Pattern FORM = Pattern.compile("00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");

        @Override
        public <T> T request(String name, @Nullable String traceparent, Function<@Nullable String, T> work) {
            return work.apply(traceparent != null && FORM.matcher(traceparent).matches() ? traceparent : null);
        }
    };

    /**
     * Traces the handling of an incoming request.
     *
     * @param traceparent the header of the request; null if it has none
     * @param work handles the request; its argument is the trace context for the jobs
     */
    <T> T request(String name, @Nullable String traceparent, Function<@Nullable String, T> work);
}
