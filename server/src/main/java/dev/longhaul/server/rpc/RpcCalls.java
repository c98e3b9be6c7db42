package dev.longhaul.server.rpc;

import com.linecorp.armeria.common.util.TimeoutMode;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.api.http.Caller;
import dev.longhaul.api.http.Route;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.server.access.Access;
import dev.longhaul.server.access.LastingRights;
import io.grpc.ForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/**
 * Runs RPC methods on behalf of the caller that {@link RpcAccess} admitted. Audit entries name that caller, and streams
 * end when the caller's key is revoked.
 */
final class RpcCalls implements ServerInterceptor {
    private final Access access;
    private final LastingRights rights;

    RpcCalls(Access access) {
        this.access = access;
        this.rights = new LastingRights(access);
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        ServiceRequestContext context = ServiceRequestContext.current();
        MethodDescriptor<Q, A> method = call.getMethodDescriptor();
        Caller caller = RpcAccess.caller(context);
        if (method.getType() != MethodDescriptor.MethodType.UNARY) {
            rights.watch(context, caller, () -> context.cancel(revoked()));
        } else if (context.requestTimeoutMillis() == 0) {
            context.setRequestTimeout(TimeoutMode.SET_FROM_NOW, Route.ANSWER);
        }
        return new AttributedListener<>(next.startCall(call, headers), context, caller, method.getFullMethodName());
    }

    /** Calls the method on behalf of its caller, and records rejections in the audit trail. */
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
                access.audit().denied(context.blockingTaskExecutor(), caller, method, e);
                throw e;
            }
        }
    }

    private static LonghaulException revoked() {
        return new LonghaulException(ErrorCode.UNAUTHENTICATED, "the API key was revoked");
    }
}
