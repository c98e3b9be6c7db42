package dev.longhaul.server.http;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Request;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An Armeria request, as routes see it. */
public final class ArmeriaRequest implements Request {
    private final ServiceRequestContext context;
    private final AggregatedHttpRequest request;

    public ArmeriaRequest(ServiceRequestContext context, AggregatedHttpRequest request) {
        this.context = context;
        this.request = request;
    }

    /** Returns Armeria's context of a call, for routes that only this server has. */
    public static ServiceRequestContext context(Call call) {
        return ((ArmeriaRequest) call.request()).context;
    }

    @Override
    public String path() {
        return context.path();
    }

    @Override
    public String basePath() {
        return "";
    }

    @Override
    public @Nullable String pathParameter(String name) {
        return context.pathParam(name);
    }

    @Override
    public Collection<String> queryNames() {
        return context.queryParams().names();
    }

    @Override
    public List<String> queryValues(String name) {
        return context.queryParams().getAll(name);
    }

    @Override
    public List<String> headers(String name) {
        return request.headers().getAll(name);
    }

    @Override
    public byte[] body() {
        return request.content().array();
    }
}
