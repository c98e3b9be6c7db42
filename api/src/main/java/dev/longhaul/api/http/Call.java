package dev.longhaul.api.http;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.JobId;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An authorized request. */
public final class Call {
    private final Request request;
    private final Caller caller;

    public Call(Request request, Caller caller) {
        this.request = request;
        this.caller = caller;
    }

    public Request request() {
        return request;
    }

    public Caller caller() {
        return caller;
    }

    /** Returns the first value of a header; null if the header is missing. */
    public @Nullable String header(String name) {
        List<String> values = request.headers(name);
        return values.isEmpty() ? null : values.get(0);
    }

    /** Returns the value of the path parameter {@code {name}}. */
    public String path(String name) {
        return Objects.requireNonNull(request.pathParameter(name), name);
    }

    /** Returns a URL of this API. */
    public String url(String path) {
        return request.basePath() + path;
    }

    public JobId jobId() {
        String text = path("id");
        try {
            return JobId.parse(text);
        } catch (LonghaulException e) {
            // Malformed ids return 404, not 400.
            throw new LonghaulException(ErrorCode.NOT_FOUND, "job " + Problem.brief(text) + " not found");
        }
    }

    public Query query() {
        return new Query(request);
    }

    /** Returns the fields of the JSON object in the body. */
    public Fields body() {
        return Fields.parse(Body.json(this), "");
    }

    /** Like {@link #body}, but the body may be missing. */
    public Fields optionalBody() {
        return request.body().length == 0 ? Fields.none() : body();
    }
}
