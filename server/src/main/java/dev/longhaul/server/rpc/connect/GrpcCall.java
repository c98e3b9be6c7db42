package dev.longhaul.server.rpc.connect;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.ServiceRequestContext;

/** Calls the gRPC service with a translated request. */
interface GrpcCall {
    HttpResponse call(ServiceRequestContext context, HttpRequest grpcRequest);
}
