package dev.longhaul.server;

import com.linecorp.armeria.common.util.TimeoutMode;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.access.Role;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import io.grpc.ForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.netty.util.AttributeKey;
import java.util.Map;
import java.util.Objects;

/** Lets only those call a method who may; runs where it may block. */
final class RpcAccess implements ServerInterceptor {
    private static final AttributeKey<Caller> CALLER = AttributeKey.valueOf(RpcAccess.class, "CALLER");

    private final Access access;
    private final LastingRights rights;
    private final Map<String, Role> roles;

    /** @param roles what the caller of each method must be; what is not in it is for anybody */
    RpcAccess(Access access, Map<String, Role> roles) {
        this.access = access;
        this.rights = new LastingRights(access);
        this.roles = roles;
    }

    /** Who calls. */
    static Caller caller() {
        return Objects.requireNonNull(ServiceRequestContext.current().attr(CALLER));
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        ServiceRequestContext context = ServiceRequestContext.current();
        MethodDescriptor<Q, A> method = call.getMethodDescriptor();
        Role needed = roles.get(method.getFullMethodName());
        Caller caller =
                needed == null ? access.anybody(context) : access.allowed(context, needed, method.getFullMethodName());
        context.setAttr(CALLER, caller);
        if (method.getType() != MethodDescriptor.MethodType.UNARY) {
            rights.watch(context, caller, () -> context.cancel(gone()));
        } else if (context.requestTimeoutMillis() == 0) {
            context.setRequestTimeout(TimeoutMode.SET_FROM_NOW, RouteService.ANSWER);
        }
        return new AttributedListener<>(next.startCall(call, headers), context, caller, method.getFullMethodName());
    }

    /** Calls the method on behalf of its caller, and records what it is refused. */
    private final class AttributedListener<Q>
            extends ForwardingServerCallListener.SimpleForwardingServerCallListener<Q> {
        private final ServiceRequestContext context;
        private final Caller caller;
        private final String method;

        AttributedListener(ServerCall.Listener<Q> next, ServiceRequestContext context, Caller caller, String method) {
            super(next);
            this.context = context;
            this.caller = caller;
            this.method = method;
        }

        @Override
        public void onMessage(Q message) {
            attributed(() -> super.onMessage(message));
        }

        @Override
        public void onHalfClose() {
            attributed(super::onHalfClose);
        }

        private void attributed(Runnable step) {
            try {
                caller.actor().run(step);
            } catch (LonghaulException e) {
                access.audit().denied(context, caller, method, e);
                throw e;
            }
        }
    }

    private static LonghaulException gone() {
        return new LonghaulException(ErrorCode.UNAUTHENTICATED, "the API key was revoked");
    }
}
