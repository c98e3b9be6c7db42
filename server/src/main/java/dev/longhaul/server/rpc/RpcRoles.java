package dev.longhaul.server.rpc;

import dev.longhaul.access.Role;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.rpc.v1.JobEventsServiceGrpc;
import dev.longhaul.rpc.v1.JobServiceGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import java.util.Collection;
import java.util.Map;
import java.util.Set;

/**
 * The roles that RPC methods require. A method that is neither listed nor declared open is rejected.
 *
 * @param required the role by the full name of the method
 * @param open methods that require no key
 */
public record RpcRoles(Map<String, Role> required, Set<String> open) {
    public static final RpcRoles ALL = new RpcRoles(
            Map.ofEntries(
                    role(JobServiceGrpc.getEnqueueJobMethod(), Role.SUBMITTER),
                    role(JobServiceGrpc.getCancelJobMethod(), Role.SUBMITTER),
                    role(JobServiceGrpc.getGetJobMethod(), Role.VIEWER),
                    role(JobServiceGrpc.getListJobsMethod(), Role.VIEWER),
                    role(JobServiceGrpc.getDequeueJobMethod(), Role.WORKER),
                    role(JobServiceGrpc.getBeginJobsMethod(), Role.WORKER),
                    role(JobServiceGrpc.getUpdateJobMethod(), Role.WORKER),
                    role(JobServiceGrpc.getCompleteJobMethod(), Role.WORKER),
                    role(JobServiceGrpc.getRegisterDefinitionsMethod(), Role.WORKER),
                    role(JobServiceGrpc.getTakeHooksMethod(), Role.WORKER),
                    role(JobServiceGrpc.getCompleteHooksMethod(), Role.WORKER),
                    role(JobServiceGrpc.getReportWorkerMethod(), Role.WORKER),
                    role(JobEventsServiceGrpc.getStreamJobEventsMethod(), Role.VIEWER),
                    role(JobEventsServiceGrpc.getPublishJobEventsMethod(), Role.WORKER)),
            Set.of(
                    HealthGrpc.getCheckMethod().getFullMethodName(),
                    HealthGrpc.getWatchMethod().getFullMethodName(),
                    ServerReflectionGrpc.getServerReflectionInfoMethod().getFullMethodName()));

    public RpcRoles {
        required = Map.copyOf(required);
        open = Set.copyOf(open);
    }

    private static Map.Entry<String, Role> role(MethodDescriptor<?, ?> method, Role role) {
        return Map.entry(method.getFullMethodName(), role);
    }

    /** Throws if a method has no role, so that a server with such a method does not start. */
    public void requireDeclared(Collection<String> methods) {
        for (String method : methods) {
            if (!isOpen(method)) {
                role(method);
            }
        }
    }

    boolean isOpen(String method) {
        return open.contains(method);
    }

    Role role(String method) {
        Role role = required.get(method);
        if (role == null) {
            throw new LonghaulException(
                    ErrorCode.PERMISSION_DENIED, method + ": no role is declared for this method (expected: a role)");
        }
        return role;
    }
}
