package dev.longhaul.spring.job;

import dev.longhaul.JobContext;
import dev.longhaul.JobHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls a method of a bean for each run.
 *
 * @param bean resolved at the first run and not at start, because the bean may itself depend on Longhaul
 * @param callable the method, on the class of the bean's proxy if it has one
 */
record BeanHandler<P, R>(JobMethod signature, Method callable, Supplier<Object> bean) implements JobHandler<P, R> {
    @Override
    @SuppressWarnings("unchecked") // The definition has the types of the method.
    public @Nullable R run(P params, JobContext context) throws Exception {
        @Nullable Object[] arguments = signature.arguments(params, context);
        if (!signature.suspending()) {
            return (R) call(arguments);
        }
        Object result = SuspendingCall.run(context, continuation -> {
            arguments[arguments.length - 1] = continuation;
            return call(arguments);
        });
        return signature.resultType() == Void.class ? null : (R) result;
    }

    private @Nullable Object call(@Nullable Object[] arguments) throws Exception {
        try {
            return callable.invoke(bean.get(), arguments);
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause();
            if (thrown instanceof Exception failure) {
                throw failure;
            }
            if (thrown instanceof Error error) {
                throw error;
            }
            throw e;
        }
    }
}
