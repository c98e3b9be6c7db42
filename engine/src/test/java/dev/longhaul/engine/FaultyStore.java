package dev.longhaul.engine;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.spi.HookSource;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.spi.WorkerDirectory;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Delegates to a store, except for calls that a test replaces with a fault. */
public final class FaultyStore implements InvocationHandler {
    private final MapWorkSource behind;
    private final Map<String, Queue<Fault>> once = new ConcurrentHashMap<>();
    private final Map<String, Fault> always = new ConcurrentHashMap<>();
    private final CopyOnWriteArrayList<String> calls = new CopyOnWriteArrayList<>();

    /** Replaces a call: may proceed, return something else, or throw. */
    public interface Fault {
        @Nullable
        Object on(Call call) throws Throwable;
    }

    /** A call of the store. */
    public static final class Call {
        private final Object behind;
        private final Method method;
        private final Object[] arguments;

        Call(Object behind, Method method, Object[] arguments) {
            this.behind = behind;
            this.method = method;
            this.arguments = arguments;
        }

        public Object argument() {
            return arguments[0];
        }

        public @Nullable Object goOn() throws Throwable {
            try {
                return method.invoke(behind, arguments);
            } catch (InvocationTargetException e) {
                throw e.getTargetException();
            }
        }
    }

    public FaultyStore(MapWorkSource behind) {
        this.behind = behind;
    }

    public WorkSource store() {
        return (WorkSource) Proxy.newProxyInstance(
                FaultyStore.class.getClassLoader(),
                new Class<?>[] {WorkSource.class, HookSource.class, WorkerDirectory.class},
                this);
    }

    /** Replaces the next call of that method; called twice, the next two calls. */
    public FaultyStore next(String method, Fault fault) {
        once.computeIfAbsent(method, none -> new ConcurrentLinkedQueue<>()).add(fault);
        return this;
    }

    /** Replaces every call of that method. */
    public FaultyStore always(String method, Fault fault) {
        always.put(method, fault);
        return this;
    }

    /** The methods that were called, in order. */
    public List<String> calls() {
        return List.copyOf(calls);
    }

    public long calls(String method) {
        return calls.stream().filter(method::equals).count();
    }

    public static Fault unavailable() {
        return call -> {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "database unavailable");
        };
    }

    /** The call takes effect, but its response is lost. */
    public static Fault unanswered() {
        return call -> {
            Object response = call.goOn();
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "response lost: " + response);
        };
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        String name = method.getName();
        if (method.getReturnType() == HookSource.class || method.getReturnType() == WorkerDirectory.class) {
            return proxy; // Calls of these interfaces pass through this proxy too.
        }
        calls.add(name);
        Queue<Fault> next = once.get(name);
        Fault fault = next == null ? null : next.poll();
        if (fault == null) {
            fault = always.getOrDefault(name, Call::goOn);
        }
        return fault.on(new Call(target(method), method, arguments == null ? new Object[0] : arguments));
    }

    private Object target(Method method) {
        Class<?> port = method.getDeclaringClass();
        return port == HookSource.class ? behind.hooks() : port == WorkerDirectory.class ? behind.directory() : behind;
    }
}
