package dev.longhaul.postgres.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A PostgreSQL 15 and its asynchronous standby. */
final class PostgresPair implements AutoCloseable {
    private static final Path PROGRAMS = Path.of("/usr/lib/postgresql/15/bin");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final boolean ROOT = "root".equals(System.getProperty("user.name"));

    private final Path home;
    private final int primary = freePort();
    private final int standby = freePort();

    private PostgresPair(Path home) {
        this.home = home;
    }

    static boolean installed() {
        return Files.isExecutable(PROGRAMS.resolve("initdb"));
    }

    static PostgresPair start() {
        try {
            var pair = new PostgresPair(Files.createTempDirectory("longhaul-pair-"));
            if (ROOT) {
                // PostgreSQL refuses to run as root; its package creates this user.
                pair.run("chown", "postgres", pair.home.toString());
            }
            pair.program("initdb", "-D", pair.data("primary"), "-U", "longhaul", "-A", "trust", "--no-sync");
            pair.control("primary", pair.primary, "start");
            pair.program(
                    "pg_basebackup",
                    "-D",
                    pair.data("standby"),
                    "-h",
                    "127.0.0.1",
                    "-p",
                    "" + pair.primary,
                    "-U",
                    "longhaul",
                    "-R",
                    "--no-sync",
                    "-c",
                    "fast");
            pair.control("standby", pair.standby, "start");
            return pair;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Connects to whichever of the two is the primary. */
    String url() {
        return "jdbc:postgresql://127.0.0.1:" + primary + ",127.0.0.1:" + standby
                + "/postgres?user=longhaul&targetServerType=primary&connectTimeout=2";
    }

    /** Waits until the standby has replayed everything that the primary has written. */
    void awaitReplay() {
        String written = query(primary, "select pg_current_wal_lsn()::text");
        await(standby, "select pg_last_wal_replay_lsn() >= '" + written + "'");
    }

    /** Stops replication to the standby. */
    void stopReplication() {
        execute(standby, "alter system set primary_conninfo = ''");
        execute(standby, "select pg_reload_conf()");
        await(standby, "select not exists (select from pg_stat_wal_receiver)");
    }

    /** Kills the primary and promotes the standby. */
    void failOver() {
        control("primary", primary, "stop", "-m", "immediate");
        execute(standby, "select pg_promote(false)");
        await(standby, "select not pg_is_in_recovery()");
    }

    String standbySays(String sql) {
        return query(standby, sql);
    }

    @Override
    public void close() {
        for (String server : List.of("primary", "standby")) {
            if (Files.exists(home.resolve(server).resolve("postmaster.pid"))) {
                control(server, 0, "stop", "-m", "immediate");
            }
        }
        try (Stream<Path> files = Files.walk(home)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(path -> path.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String data(String server) {
        return home.resolve(server).toString();
    }

    private void control(String server, int port, String... action) {
        var command = new ArrayList<>(List.of("-D", data(server), "-w", "-s"));
        if (action[0].equals("start")) {
            command.addAll(List.of(
                    "-l",
                    home.resolve(server + ".log").toString(),
                    "-o",
                    "-p " + port + " -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"));
        }
        command.addAll(List.of(action));
        program("pg_ctl", command.toArray(String[]::new));
    }

    private void program(String name, String... arguments) {
        var command = new ArrayList<String>();
        if (ROOT) {
            command.addAll(List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"));
        }
        command.add(PROGRAMS.resolve(name).toString());
        command.addAll(List.of(arguments));
        run(command.toArray(String[]::new));
    }

    private void run(String... command) {
        try {
            Process process = new ProcessBuilder(command)
                    .directory(home.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            home.resolve("commands.log").toFile()))
                    .start();
            if (process.waitFor() != 0) {
                throw new IllegalStateException(
                        String.join(" ", command) + ": " + Files.readString(home.resolve("commands.log")));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int freePort() {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void await(int port, String condition) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (!query(port, condition).equals("t")) {
            if (System.nanoTime() > until) {
                throw new AssertionError("never true: " + condition);
            }
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    private static void execute(int port, String sql) {
        try (Connection connection = connect(port);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String query(int port, String sql) {
        try (Connection connection = connect(port);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return String.valueOf(row.getString(1));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Connection connect(int port) throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=longhaul");
    }
}
