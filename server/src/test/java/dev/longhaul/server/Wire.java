package dev.longhaul.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A TCP proxy whose connections can be cut, as if the server had been killed. */
final class Wire implements AutoCloseable {
    private final ServerSocket door;
    private final int to;
    private final Set<Socket> ends = ConcurrentHashMap.newKeySet();

    Wire(int to) throws IOException {
        this(to, 0);
    }

    /** @param port that clients connect to */
    Wire(int to, int port) throws IOException {
        this.to = to;
        this.door = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return door.getLocalPort();
    }

    /** Cuts all connections; new ones are accepted. */
    void cut() {
        ends.forEach(Wire::reset);
        ends.clear();
    }

    @Override
    public void close() throws IOException {
        door.close();
        cut();
    }

    private void accept() {
        try {
            while (true) {
                Socket near = door.accept();
                Socket far = new Socket(InetAddress.getLoopbackAddress(), to);
                ends.add(near);
                ends.add(far);
                start(() -> pump(near, far));
                start(() -> pump(far, near));
            }
        } catch (IOException e) {
            cut();
        }
    }

    private static void pump(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // Cut, or closed by one side.
        }
        reset(to);
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            // Already closed.
        }
    }

    private static void start(Runnable work) {
        var thread = new Thread(work, "wire");
        thread.setDaemon(true);
        thread.start();
    }
}
