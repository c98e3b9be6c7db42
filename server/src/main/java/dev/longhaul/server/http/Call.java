package dev.longhaul.server.http;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.JobId;
import java.util.Objects;

/** A request whose sender is known and may send it, with all of its body. */
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

    /** The value that stands in the path for {@code {name}}. */
    public String path(String name) {
        return Objects.requireNonNull(context.pathParam(name), name);
    }

    public JobId jobId() {
        String text = path("id");
        try {
            return JobId.parse(text);
        } catch (LonghaulException e) {
            // What is not even an id cannot be the id of anything.
            throw new LonghaulException(ErrorCode.NOT_FOUND, "there is no job " + Problem.brief(text));
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

    /** Like {@link #body}, of a request that may have none. */
    public Fields optionalBody() {
        return request.content().isEmpty() ? Fields.none() : body();
    }
}
