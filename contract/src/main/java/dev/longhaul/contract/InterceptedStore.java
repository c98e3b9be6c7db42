package dev.longhaul.contract;

import dev.longhaul.spi.Store;
import dev.longhaul.spi.WorkerDirectory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Wraps a store, so that calls of all its ports and capabilities pass through code of a test. */
public final class InterceptedStore {
    private InterceptedStore() {}

    /** Handles a call of a port's method. It may proceed with the call, return another value, or throw. */
    public interface Interception {
        @Nullable
        Object on(Method method, Object[] arguments, Call call) throws Throwable;
    }

    /** The intercepted call. */
    public interface Call {
        @Nullable
        Object goOn() throws Throwable;
    }

    public static Store of(Store behind, Interception interception) {
        return (Store) port(Store.class, behind, interception);
    }

    private static Object port(Class<?> type, Object behind, Interception interception) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
            Object[] given = arguments == null ? new Object[0] : arguments;
            Call call = () -> {
                try {
                    return method.invoke(behind, given);
                } catch (InvocationTargetException e) {
                    throw e.getTargetException();
                }
            };
            Class<?> returned = method.getReturnType();
            if (JobStoreContract.ALL_PORTS.contains(returned) || returned == WorkerDirectory.class) {
                return port(returned, Objects.requireNonNull(call.goOn()), interception);
            }
            if (method.getName().equals("capability")) {
                var capability = (Optional<?>) Objects.requireNonNull(call.goOn());
                return capability.map(offered -> port((Class<?>) given[0], offered, interception));
            }
            return interception.on(method, given, call);
        });
    }
}
