package dev.longhaul.cli.launch;

import dev.longhaul.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A real PgBouncer in front of PostgreSQL, if it is installed. */
final class PgBouncer implements AutoCloseable {
    private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final Process process;
    private final int port;

    private PgBouncer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    static boolean installed() {
        return Files.isExecutable(PROGRAM);
    }

    static PgBouncer start(Path directory, EmbeddedPostgres postgres, String mode) {
        try {
            int port = freePort();
            Path config = directory.resolve("pgbouncer-" + mode + ".ini");
            Files.writeString(config, """
                    [databases]
                    * = host=127.0.0.1 port=%d user=%s password=%s
                    [pgbouncer]
                    listen_addr = 127.0.0.1
                    listen_port = %d
                    unix_socket_dir =
                    auth_type = any
                    pool_mode = %s
                    default_pool_size = 8
                    max_client_conn = 200
                    ignore_startup_parameters = extra_float_digits
                    """.formatted(postgres.port(), postgres.user(), postgres.password(), port, mode));
            var command = new ArrayList<>(List.of(PROGRAM.toString()));
            if ("root".equals(System.getProperty("user.name"))) {
                // PgBouncer does not run as root, and reads its configuration as the other user.
                command.addAll(List.of("-u", "nobody"));
                Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
            command.add(config.toString());
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(
                            directory.resolve("pgbouncer-" + mode + ".log").toFile())
                    .start();
            return new PgBouncer(process, port).awaitReady();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private PgBouncer awaitReady() {
        long until = System.nanoTime() + TIMEOUT.toNanos();
        while (true) {
            try (var socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
                return this;
            } catch (IOException e) {
                if (!process.isAlive() || System.nanoTime() > until) {
                    throw new IllegalStateException("PgBouncer does not listen on port " + port, e);
                }
                LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            }
        }
    }

    String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=longhaul";
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
