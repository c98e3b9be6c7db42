package dev.longhaul.cli.launch.process;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles SIGTERM, SIGINT and SIGHUP: the first signal drains, the second exits immediately. If the process has not
 * ended some time after the first signal, forces it to exit.
 */
public final class Termination {
    private static final Logger LOG = LoggerFactory.getLogger(Termination.class);
    /**
     * The handled signals. They are sent by Ctrl-C, by init systems and containers, and when the terminal is closed.
     */
    private static final List<String> SIGNALS = List.of("INT", "TERM", "HUP");

    private static final int SIGNALLED = 128;

    private final CountDownLatch asked = new CountDownLatch(1);
    private volatile int signal;

    private Termination() {}

    /**
     * Begins to handle signals.
     *
     * @param longest how long the process may take to end after the first signal
     */
    public static Termination onSignals(Duration longest) {
        var termination = new Termination();
        var watchdog = new Thread(() -> termination.enforce(longest.toMillis()), "longhaul-termination");
        watchdog.setDaemon(true);
        watchdog.start();
        SIGNALS.forEach(termination::take);
        return termination;
    }

    public void await() throws InterruptedException {
        asked.await();
    }

    /**
     * Handles a signal. It does not use a shutdown hook, because then the exit code would always report that a signal
     * killed the process. Uses reflection, because javac warns about each use of the class, although every JDK has it.
     */
    private void take(String name) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            InvocationHandler asking = (proxy, method, arguments) -> {
                if (method.getName().equals("handle")) {
                    ask((int) signal.getMethod("getNumber").invoke(arguments[0]));
                }
                return null;
            };
            Object taking =
                    Proxy.newProxyInstance(Termination.class.getClassLoader(), new Class<?>[] {handler}, asking);
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), taking);
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            LOG.warn("SIG{} will end the process without draining it", name, e);
        }
    }

    private void ask(int number) {
        if (asked.getCount() == 0) {
            Runtime.getRuntime().halt(SIGNALLED + number);
        }
        signal = number;
        asked.countDown();
    }

    /** Forces the exit after that time. Allocates no memory after the signal, because the heap may be full. */
    private void enforce(long millis) {
        try {
            asked.await();
            Thread.sleep(millis);
            Runtime.getRuntime().halt(SIGNALLED + signal);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
