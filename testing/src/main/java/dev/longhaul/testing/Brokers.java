package dev.longhaul.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.jspecify.annotations.Nullable;

/**
 * Real Kafka brokers on free ports of loopback, each in a JVM of its own; each is a controller too. The tests of one module
 * share one, started at first use; tests that kill brokers start their own. A module that starts brokers has the broker
 * ({@code kafka_2.13}) on the class path of its tests.
 */
public final class Brokers implements AutoCloseable {
    private static final int READY_SECONDS = 60;
    private static @Nullable Brokers shared;

    private final Path home;
    private final List<Integer> ports;
    private final List<@Nullable Process> processes = new ArrayList<>();

    private Brokers(int count) throws IOException {
        this.home = Files.createTempDirectory("longhaul-kafka-");
        this.ports = freePorts(2 * count);
        for (int id = 0; id < count; id++) {
            processes.add(null);
            configure(id);
            launch(id);
        }
        awaitReady();
    }

    /** The broker that the tests of this JVM share. */
    public static synchronized Brokers shared() {
        Brokers started = shared;
        if (started == null) {
            started = start(1);
            shared = started;
            Runtime.getRuntime().addShutdownHook(new Thread(started::close));
        }
        return started;
    }

    public static Brokers start(int count) {
        try {
            return new Brokers(count);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Integer> freePorts(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            return sockets.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }

    private int count() {
        return ports.size() / 2;
    }

    private String broker(int id) {
        return "127.0.0.1:" + ports.get(id);
    }

    private String controller(int id) {
        return "127.0.0.1:" + ports.get(count() + id);
    }

    /** The brokers' addresses. */
    public String servers() {
        return IntStream.range(0, count()).mapToObj(this::broker).collect(Collectors.joining(","));
    }

    private void configure(int id) throws IOException {
        int replicas = Math.min(3, count());
        String voters = IntStream.range(0, count())
                .mapToObj(voter -> voter + "@" + controller(voter))
                .collect(Collectors.joining(","));
        Files.writeString(home.resolve(id + ".properties"), """
                process.roles=broker,controller
                node.id=%d
                controller.quorum.voters=%s
                listeners=PLAINTEXT://%s,CONTROLLER://%s
                controller.listener.names=CONTROLLER
                listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
                log.dirs=%s
                auto.create.topics.enable=false
                default.replication.factor=%d
                offsets.topic.replication.factor=%d
                offsets.topic.num.partitions=1
                transaction.state.log.replication.factor=%d
                transaction.state.log.min.isr=1
                transaction.state.log.num.partitions=1
                share.coordinator.state.topic.replication.factor=%d
                share.coordinator.state.topic.min.isr=1
                share.coordinator.state.topic.num.partitions=1
                group.initial.rebalance.delay.ms=0
                num.network.threads=2
                num.io.threads=4
                log.cleaner.dedupe.buffer.size=4194304
                log.segment.bytes=16777216
                """.formatted(
                        id, voters, broker(id), controller(id), data(id), replicas, replicas, replicas, replicas));
    }

    private Path data(int id) {
        return home.resolve("data-" + id);
    }

    private void launch(int id) throws IOException {
        Path log = home.resolve(id + ".log");
        processes.set(
                id,
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-Xmx192m",
                                "-Xms64m",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-Dlogback.configurationFile=dev/longhaul/testing/brokers.xml",
                                "-cp",
                                System.getProperty("java.class.path"),
                                BrokerProgram.class.getName(),
                                home.resolve(id + ".properties").toString(),
                                data(id).toString())
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .redirectErrorStream(true)
                        .start());
    }

    /** Waits until every running broker is part of the cluster. */
    public void awaitReady() throws IOException {
        long running = processes.stream().filter(process -> process != null).count();
        long deadline = System.nanoTime() + READY_SECONDS * 1_000_000_000L;
        try (Admin admin = Admin.create(Map.<String, Object>of(
                "bootstrap.servers", servers(), "default.api.timeout.ms", 2000, "request.timeout.ms", 1000))) {
            while (nodes(admin) < running) {
                if (System.nanoTime() > deadline || processes.stream().anyMatch(p -> p != null && !p.isAlive())) {
                    throw new AssertionError("brokers not ready:\n" + logs());
                }
            }
        }
    }

    /** The number of brokers in the cluster; 0 after a timeout, so that a caller in a loop waits. */
    private static int nodes(Admin admin) {
        try {
            return admin.describeCluster().nodes().get().size();
        } catch (java.util.concurrent.ExecutionException e) {
            return 0;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private String logs() throws IOException {
        var all = new StringBuilder();
        for (int id = 0; id < count(); id++) {
            all.append(Files.readString(home.resolve(id + ".log")));
        }
        return all.toString();
    }

    /** Sends SIGKILL and waits until the broker has ended. */
    public void kill(int id) {
        Process process = processes.set(id, null);
        if (process != null) {
            process.destroyForcibly();
            process.onExit().join();
        }
    }

    /** Starts a killed broker again, with its data. */
    public void restart(int id) throws IOException {
        launch(id);
        awaitReady();
    }

    @Override
    public void close() {
        for (int id = 0; id < count(); id++) {
            kill(id);
        }
        try (Stream<Path> files = Files.walk(home)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(path -> path.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
