package dev.longhaul.postgres.database;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.spi.Signal;
import dev.longhaul.testing.TestPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

@Timeout(60)
class SignalsTest {
    private static final Duration PING = Duration.ofMillis(200);
    private static final Signal WORK = new Signal(Signal.Kind.WORK, "default");

    private final String url = TestPostgres.get().newDatabase();
    private final HikariDataSource pool = TestPostgres.pool(url, 4);
    private final Signals others = new Signals(new Connections(pool), true);
    private final LinkedBlockingQueue<Signal> heard = new LinkedBlockingQueue<>();

    @AfterEach
    void close() {
        others.close();
        pool.close();
    }

    @Test
    void survive_errors_of_the_threads_that_send_and_receive() throws Exception {
        var planted = new AtomicInteger(4);
        var source = new PGSimpleDataSource() {
            private static final long serialVersionUID = 1;

            @Override
            public Connection getConnection() throws SQLException {
                if (planted.getAndDecrement() > 0) {
                    throw new NoClassDefFoundError("planted");
                }
                return super.getConnection();
            }
        };
        source.setUrl(url);
        try (var signals = new Signals(new Connections(source), true, PING)) {
            signals.listen(heard::add);
            others.listen(heard::add);
            signals.send(WORK);
            awaitHeard(signals, others);
            awaitHeard(others, signals);
        }
    }

    /** Sends until the other side receives a signal: the first ones may be lost to the planted fault. */
    private void awaitHeard(Signals from, Signals to) throws InterruptedException {
        var subject = "from-" + System.identityHashCode(from);
        var there = new LinkedBlockingQueue<Signal>();
        try (var listening = to.listen(there::add)) {
            assertThat(listening).isNotNull();
            Signal signal = null;
            while (signal == null || !signal.subject().equals(subject)) {
                from.send(new Signal(Signal.Kind.WORK, subject));
                signal = there.poll(100, TimeUnit.MILLISECONDS);
            }
        }
    }

    @Test
    void an_error_of_a_listener_harms_neither_the_caller_nor_other_listeners() {
        others.listen(signal -> {
            throw new StackOverflowError("planted");
        });
        others.listen(heard::add);
        others.send(WORK);
        assertThat(heard).contains(WORK);
    }

    @Test
    void a_connection_that_went_silent_is_noticed_and_replaced() throws Exception {
        URI server = URI.create(url.substring("jdbc:".length()));
        try (var network = new StallingProxy(server.getHost(), server.getPort())) {
            var source = new PGSimpleDataSource();
            source.setUrl(url.replace(
                    server.getHost() + ":" + server.getPort(), "127.0.0.1:" + network.listener.getLocalPort()));
            try (var signals = new Signals(new Connections(source), true, PING)) {
                signals.listen(heard::add);
                awaitHeard(others, signals);
                heard.clear();
                network.stall();
                // The signals missed in the meantime are unknown, so everything may have changed.
                Signal next = heard.poll(30, TimeUnit.SECONDS);
                while (next != null && next.kind() == Signal.Kind.WORK) {
                    next = heard.poll(30, TimeUnit.SECONDS); // One sent before the connection went silent.
                }
                assertThat(next).isEqualTo(new Signal(Signal.Kind.CHANGED, "*"));
                awaitHeard(others, signals);
            }
        }
    }

    /** Forwards bytes until it makes the open connections silent without closing them. */
    private static final class StallingProxy implements AutoCloseable {
        final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final InetSocketAddress server;
        private volatile Object epoch = new Object();

        StallingProxy(String host, int port) throws IOException {
            this.server = new InetSocketAddress(host, port);
            start(this::accept);
        }

        void stall() {
            epoch = new Object();
        }

        private static void start(Runnable work) {
            var thread = new Thread(work, "stalling-proxy");
            thread.setDaemon(true);
            thread.start();
        }

        private void accept() {
            try {
                while (true) {
                    Socket client = listener.accept();
                    var upstream = new Socket();
                    upstream.connect(server);
                    Object began = epoch;
                    start(() -> pass(client, upstream, began));
                    start(() -> pass(upstream, client, began));
                }
            } catch (IOException e) {
                // Closed.
            }
        }

        private void pass(Socket from, Socket to, Object began) {
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                byte[] bytes = new byte[8192];
                for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                    if (epoch == began) {
                        out.write(bytes, 0, read);
                        out.flush();
                    }
                }
                if (epoch == began) {
                    to.close();
                }
            } catch (IOException e) {
                // The other end has gone.
            }
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }
}
