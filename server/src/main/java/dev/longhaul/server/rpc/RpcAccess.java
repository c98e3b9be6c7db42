package dev.longhaul.server.rpc;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.api.http.Caller;
import dev.longhaul.server.access.Access;
import dev.longhaul.server.http.ArmeriaResponse;
import dev.longhaul.server.rpc.connect.BoundedRequest;
import dev.longhaul.server.rpc.connect.EarlyError;
import io.grpc.Metadata;
import io.grpc.Status;
import io.netty.util.AttributeKey;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Checks key and role of an RPC when its request headers arrive. Discards the body of a rejected request, so that
 * callers without a key cannot make the server buffer data.
 */
public final class RpcAccess implements DecoratingHttpServiceFunction {
    /**
     * Maximum bytes of requests to methods that require no key; these requests contain only names of services and
     * symbols.
     */
    public static final int OPEN_REQUEST = 64 * 1024;

    private static final AttributeKey<Caller> CALLER = AttributeKey.valueOf(RpcAccess.class, "CALLER");

    private final Access access;
    private final RpcRoles roles;
    private final RpcProblem problems;

    RpcAccess(Access access, RpcRoles roles, RpcProblem problems) {
        this.access = access;
        this.roles = roles;
        this.problems = problems;
    }

    /** Returns the caller of the current RPC. */
    static Caller caller() {
        return caller(ServiceRequestContext.current());
    }

    static Caller caller(ServiceRequestContext context) {
        return Objects.requireNonNull(context.attr(CALLER), "the caller of this RPC was not checked");
    }

    @Override
    public HttpResponse serve(HttpService next, ServiceRequestContext context, HttpRequest request) {
        // The service is called on the event loop, as Armeria expects.
        return HttpResponse.of(CompletableFuture.runAsync(() -> admit(context), context.blockingTaskExecutor())
                .handleAsync((admitted, failure) -> served(next, context, request, failure), context.eventLoop()));
    }

    /** Checks the caller. May block. */
    private void admit(ServiceRequestContext context) {
        String method = method(context);
        if (roles.isOpen(method)) {
            context.setAttr(CALLER, access.anonymous(context));
        } else {
            context.setAttr(CALLER, access.allowed(context, roles.role(method), method));
        }
    }

    private HttpResponse served(
            HttpService next, ServiceRequestContext context, HttpRequest request, @Nullable Throwable failure) {
        if (failure != null) {
            return ArmeriaResponse.afterReading(request, rejected(context, request, Exceptions.peel(failure)));
        }
        try {
            boolean open = roles.isOpen(method(context));
            return next.serve(context, open ? BoundedRequest.of(request, OPEN_REQUEST) : request);
        } catch (Exception e) {
            return HttpResponse.ofFailure(e);
        }
    }

    private static String method(ServiceRequestContext context) {
        return context.path().substring(1);
    }

    private HttpResponse rejected(ServiceRequestContext context, HttpRequest request, Throwable failure) {
        var metadata = new Metadata();
        Status status = problems.apply(context, Status.UNKNOWN, failure, metadata);
        return EarlyError.of(request.headers(), status == null ? Status.UNKNOWN : status, metadata);
    }
}
