package dev.longhaul.server.http;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.JobId;
import java.util.Objects;

/** An authorized request with its whole body. */
public final class Call {
    private final ServiceRequestContext context;
    private final AggregatedHttpRequest request;
    private final Caller caller;

    public Call(ServiceRequestContext context, AggregatedHttpRequest request, Caller caller) {
        this.context = context;
        this.request = request;
        this.caller = caller;
    }

    public ServiceRequestContext context() {
        return context;
    }

    public Caller caller() {
        return caller;
    }

    public RequestHeaders headers() {
        return request.headers();
    }

    /** The value of the path parameter {@code {name}}. */
    public String path(String name) {
        return Objects.requireNonNull(context.pathParam(name), name);
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
        QueryParams params = context.queryParams();
        return new Query(params);
    }

    /** The fields of the JSON object in the body. */
    public Fields body() {
        return Fields.parse(Body.json(request), "");
    }

    /** Like {@link #body}, but the body may be missing. */
    public Fields optionalBody() {
        return request.content().isEmpty() ? Fields.none() : body();
    }
}
