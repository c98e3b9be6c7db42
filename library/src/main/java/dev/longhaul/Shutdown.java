package dev.longhaul;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handles SIGTERM and SIGINT: the first closes Longhaul, the second exits immediately. */
final class Shutdown {
    private static final Logger LOG = LoggerFactory.getLogger(Shutdown.class);
    private static final int SIGNALLED = 128;

    private Shutdown() {}

    static void closes(Longhaul longhaul) {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            haltOnNextSignal("TERM", 15);
                            haltOnNextSignal("INT", 2);
                            longhaul.close();
                        },
                        "longhaul-shutdown"));
    }

    /** Uses reflection, because javac warns about each use of this class, although every JDK contains it. */
    private static void haltOnNextSignal(String name, int number) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            InvocationHandler halt = (proxy, method, arguments) -> {
                Runtime.getRuntime().halt(SIGNALLED + number);
                return null;
            };
            Object halting = Proxy.newProxyInstance(Shutdown.class.getClassLoader(), new Class<?>[] {handler}, halt);
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), halting);
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            LOG.debug("cannot handle {}; a second one will not end the process immediately", name, e);
        }
    }
}
