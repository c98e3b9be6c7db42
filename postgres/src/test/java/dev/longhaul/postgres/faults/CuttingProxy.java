package dev.longhaul.postgres.faults;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A proxy between a store and PostgreSQL that cuts a connection at a chosen request. A request is everything a client
 * sends until it waits for the response: all messages up to a Sync or a simple Query. The server commits at its end or
 * not at all.
 */
final class CuttingProxy implements AutoCloseable {
    private static final int SYNC = 'S';
    private static final int SIMPLE_QUERY = 'Q';
    private static final Set<Integer> IMMEDIATE = Set.of((int) 'p', (int) 'H', (int) 'X');
    private static final int READY_FOR_QUERY = 'Z';
    private static final int ERROR = 'E';
    private static final int HEADER = 5;
    private static final long LATE_MILLIS = 150;

    private final ServerSocket listener;
    private final InetSocketAddress server;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private @Nullable Plan plan;
    private int requests;

    /** Where a connection is cut. */
    enum Cut {
        /** The request never reaches the server. */
        BEFORE_REQUEST,
        /** A part of it does. */
        WITHIN_REQUEST,
        /** The server has all of it, and the client is cut off immediately: its retry races with the first attempt. */
        DURING_REQUEST,
        /** The client is cut off first, and the server gets the request while the retry is running. */
        LATE_REQUEST,
        /** The server has responded; the client does not receive it. */
        BEFORE_ANSWER,
        /** The client receives half of the response. */
        WITHIN_ANSWER;

        private boolean clientGoesFirst() {
            return this == DURING_REQUEST || this == LATE_REQUEST;
        }
    }

    private static final class Plan {
        final Cut cut;
        int skip;
        boolean taken;
        final CompletableFuture<Boolean> committed = new CompletableFuture<>();

        Plan(Cut cut, int skip) {
            this.cut = cut;
            this.skip = skip;
        }
    }

    CuttingProxy(String host, int port) throws IOException {
        this.server = new InetSocketAddress(host, port);
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start("proxy", this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Cuts the connection that sends the request after the next {@code skip} ones. */
    synchronized void arm(Cut cut, int skip) {
        plan = new Plan(cut, skip);
    }

    /** Whether the server committed the cut request; null when no request was cut. */
    @Nullable
    Boolean outcome() throws InterruptedException, ExecutionException, TimeoutException {
        Plan armed;
        synchronized (this) {
            armed = plan;
            plan = null;
            if (armed == null || !armed.taken) {
                return null;
            }
        }
        return armed.committed.get(30, TimeUnit.SECONDS);
    }

    /** How many requests have passed since the last call. */
    synchronized int requests() {
        int passed = requests;
        requests = 0;
        return passed;
    }

    private synchronized @Nullable Plan onRequest() {
        requests++;
        Plan armed = plan;
        if (armed == null || armed.taken || armed.skip-- > 0) {
            return null;
        }
        armed.taken = true;
        return armed;
    }

    private static void start(String name, Runnable work) {
        var thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                var upstream = new Socket();
                upstream.connect(server);
                new Link(client, upstream).start();
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        open.forEach(CuttingProxy::shut);
    }

    private static void shut(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // Cut anyway.
        }
    }

    /** A client's connection and the corresponding one to the server. */
    private final class Link {
        private final Socket client;
        private final Socket upstream;
        private volatile @Nullable Plan swallow;

        Link(Socket client, Socket upstream) {
            this.client = client;
            this.upstream = upstream;
            open.add(client);
            open.add(upstream);
        }

        void start() {
            CuttingProxy.start("proxy up", () -> untilBroken(this::passRequests));
            CuttingProxy.start("proxy down", () -> untilBroken(this::passResponses));
        }

        private interface Pump {
            void run() throws IOException;
        }

        private void untilBroken(Pump pump) {
            try {
                pump.run();
            } catch (IOException e) {
                Plan armed = swallow;
                if (armed == null || !armed.cut.clientGoesFirst()) {
                    cutBoth();
                }
            }
        }

        private void cutBoth() {
            shut(client);
            shut(upstream);
            open.remove(client);
            open.remove(upstream);
        }

        private void passRequests() throws IOException {
            var in = new DataInputStream(client.getInputStream());
            OutputStream out = upstream.getOutputStream();
            int length = in.readInt();
            out.write(ByteBuffer.allocate(4).putInt(length).array());
            out.write(in.readNBytes(length - 4));
            var request = new ByteArrayOutputStream();
            while (true) {
                int type = readMessage(in, request);
                if (type == SYNC || type == SIMPLE_QUERY) {
                    Plan cut = onRequest();
                    if (cut != null) {
                        cut(cut, request.toByteArray(), out);
                        return;
                    }
                }
                if (type == SYNC || type == SIMPLE_QUERY || IMMEDIATE.contains(type)) {
                    out.write(request.toByteArray());
                    request.reset();
                }
            }
        }

        private void cut(Plan cut, byte[] request, OutputStream out) throws IOException {
            if (cut.cut == Cut.BEFORE_REQUEST || cut.cut == Cut.WITHIN_REQUEST) {
                out.write(request, 0, cut.cut == Cut.BEFORE_REQUEST ? 0 : request.length / 2);
                cutBoth();
                cut.committed.complete(false);
                return;
            }
            swallow = cut;
            if (cut.cut == Cut.LATE_REQUEST) {
                shut(client);
                delay();
            }
            out.write(request);
            if (cut.cut == Cut.DURING_REQUEST) {
                shut(client);
            }
        }

        /** A network delay that is longer than the store waits before it retries. */
        private static void delay() throws IOException {
            try {
                Thread.sleep(LATE_MILLIS);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        private void passResponses() throws IOException {
            var in = new DataInputStream(upstream.getInputStream());
            OutputStream out = client.getOutputStream();
            var answer = new ByteArrayOutputStream();
            boolean failed = false;
            while (true) {
                int from = answer.size();
                int type = readMessage(in, answer);
                Plan cut = swallow;
                if (cut == null) {
                    out.write(answer.toByteArray());
                    answer.reset();
                    continue;
                }
                failed |= type == ERROR;
                if (type == READY_FOR_QUERY) {
                    boolean idle = answer.toByteArray()[from + HEADER] == 'I';
                    if (cut.cut == Cut.WITHIN_ANSWER) {
                        out.write(answer.toByteArray(), 0, answer.size() / 2);
                    }
                    cutBoth();
                    cut.committed.complete(idle && !failed);
                    return;
                }
            }
        }

        private static int readMessage(DataInputStream in, ByteArrayOutputStream to) throws IOException {
            int type = in.readUnsignedByte();
            int length = in.readInt();
            to.write(type);
            to.writeBytes(ByteBuffer.allocate(4).putInt(length).array());
            to.writeBytes(in.readNBytes(length - 4));
            return type;
        }
    }
}
