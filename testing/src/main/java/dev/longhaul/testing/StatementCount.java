package dev.longhaul.testing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Records the statements that one thread prepares on a DataSource. Statements of other threads are not counted. */
public final class StatementCount {
    private final DataSource counted;
    private final Thread thread = Thread.currentThread();
    private final List<String> statements = new ArrayList<>();

    /** Counts statements of the calling thread on connections of {@link #dataSource()}. */
    public StatementCount(DataSource source) {
        this.counted = proxy(DataSource.class, source, this::connection);
    }

    public DataSource dataSource() {
        return counted;
    }

    /** The statements that the thread prepares while {@code code} runs. */
    public List<String> of(Runnable code) {
        statements.clear();
        code.run();
        return List.copyOf(statements);
    }

    private @Nullable Object connection(Method method, Object @Nullable [] arguments, @Nullable Object result) {
        return result instanceof Connection connection ? proxy(Connection.class, connection, this::statement) : result;
    }

    private @Nullable Object statement(Method method, Object @Nullable [] arguments, @Nullable Object result) {
        if (method.getName().equals("prepareStatement") && arguments != null && Thread.currentThread() == thread) {
            statements.add(String.valueOf(arguments[0]));
        }
        return result;
    }

    /** Receives each call and may replace its result. */
    private interface Wrapper {
        @Nullable
        Object result(Method method, Object @Nullable [] arguments, @Nullable Object result);
    }

    private static <T> T proxy(Class<T> type, T target, Wrapper wrapper) {
        InvocationHandler handler = (self, method, arguments) -> {
            try {
                return wrapper.result(method, arguments, method.invoke(target, arguments));
            } catch (InvocationTargetException e) {
                throw e.getCause() == null ? e : e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(StatementCount.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
