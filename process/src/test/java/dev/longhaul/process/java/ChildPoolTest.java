package dev.longhaul.process.java;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.longhaul.JobDefinition;
import dev.longhaul.JobDefinitions;
import dev.longhaul.process.sitter.KillMethod;
import dev.longhaul.process.sitter.ProcessTree;
import dev.longhaul.process.supervise.Confinement;
import dev.longhaul.process.supervise.ProcessLimits;
import dev.longhaul.process.supervise.ProcessUser;
import dev.longhaul.process.supervise.Sitter;
import dev.longhaul.process.supervise.Supervisor;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Idle JVMs that wait for runs. */
@Tag("full")
class ChildPoolTest {
    @TempDir
    private Path classes;

    private final Supervisor supervisor = new Supervisor(Confinement.best());
    private ChildSocket socket;
    private ChildPool pool;

    /** A provider without definitions, because the tests start no run. */
    public static final class None implements JobDefinitions {
        @Override
        public List<JobDefinition<?, ?>> definitions() {
            return List.of();
        }
    }

    @BeforeEach
    void open() throws IOException {
        socket = new ChildSocket(supervisor.newDirectory("children"), ProcessUser.OWN);
        String classPath = System.getProperty("java.class.path") + File.pathSeparator + classes;
        pool = new ChildPool(
                new ChildKind(classPath, None.class.getName(), Map.of(), ProcessLimits.NONE), supervisor, socket, 4);
    }

    @AfterEach
    void close() {
        pool.close();
        socket.close();
        supervisor.close();
    }

    @Test
    void are_closed_a_while_after_demand_has_fallen() throws IOException {
        List<Child> taken = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            taken.add(pool.take());
        }
        pool.fill();
        taken.forEach(Child::close);
        assertThat(pool.waiting()).isEqualTo(3);
        pool.tend(System.nanoTime());
        pool.tend(System.nanoTime() + TimeUnit.SECONDS.toNanos(30));
        assertThat(pool.waiting()).isEqualTo(3);
        pool.tend(System.nanoTime() + TimeUnit.SECONDS.toNanos(90));
        assertThat(pool.waiting()).isEqualTo(1);
    }

    @Test
    void are_replaced_when_their_classes_have_changed() throws Exception {
        pool.fill();
        try (Child child = pool.take()) {
            child.ready().get(30, TimeUnit.SECONDS);
            pool.fill();
            Path deep = Files.createDirectories(classes.resolve("a/b"));
            Files.writeString(deep.resolve("New.class"), "");
            long before = pids().get(0);
            pool.tend(System.nanoTime());
            assertThat(pids()).hasSize(1).doesNotContain(before);

            before = pids().get(0);
            Files.writeString(deep.resolve("New.class"), "newer");
            try (Child next = pool.take()) {
                assertThat(next.process().pid()).isNotEqualTo(before);
            }
            assertThat(pool.waiting()).isZero();
        }
    }

    @Test
    void that_exit_before_they_are_ready_are_started_with_a_backoff_and_logged_once_each() {
        var logged = new ListAppender<ILoggingEvent>();
        logged.start();
        var logger = (Logger) LoggerFactory.getLogger(ChildPool.class);
        logger.addAppender(logged);
        var broken = new ChildPool(
                new ChildKind(System.getProperty("java.class.path"), "no.Such", Map.of(), ProcessLimits.NONE),
                supervisor,
                socket,
                4);
        try {
            long start = System.nanoTime();
            long end = start + TimeUnit.SECONDS.toNanos(30);
            while (logged.list.size() < 2) {
                broken.fill();
                assertThat(System.nanoTime()).isLessThan(end);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
            assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.SECONDS.toNanos(1));
            assertThat(logged.list.get(0).getFormattedMessage())
                    .startsWith("an idle JVM of no.Such exited before it was ready (exit code 1: Exception in thread"
                            + " \"main\" java.lang.ClassNotFoundException: no.Such");
            assertThat(logged.list.get(1).getFormattedMessage()).endsWith("); no other one is started for 2 s");
            assertThat(broken.waiting()).isZero();
        } finally {
            logger.detachAppender(logged);
            broken.close();
        }
    }

    private List<Long> pids() {
        return pool.pids();
    }

    @Test
    void have_a_directory_of_their_own_for_temporary_files() throws Exception {
        try (Child child = pool.take()) {
            child.ready().get(30, TimeUnit.SECONDS);
            String command = Files.readString(
                    Path.of("/proc", String.valueOf(child.process().pid()), "cmdline"), StandardCharsets.ISO_8859_1);
            assertThat(command).contains("-Djava.io.tmpdir=" + child.process().directory() + "\0");
        }
    }

    @Test
    void find_their_classes_from_another_directory() {
        Path here = Path.of("").toAbsolutePath();
        assertThat(ClassPath.absolute("a.jar" + File.pathSeparator + "/b.jar" + File.pathSeparator))
                .isEqualTo(String.join(File.pathSeparator, here + "/a.jar", "/b.jar", here.toString()));
    }

    @Test
    void are_not_started_without_a_sitter_and_the_problem_is_reported() {
        try (var sitter = new Sitter("/no/such/java", Duration.ofSeconds(5))) {
            assertThat(sitter.problem()).isNull();
            try {
                sitter.watch(
                        new ProcessTree("a", KillMethod.CGROUP_KILL, classes.toString(), List.of(), classes),
                        () -> Long.MAX_VALUE);
            } catch (IllegalStateException e) {
                // The sitter may die before or after it receives the tree.
                assertThat(e).hasMessageContaining("has died");
            }
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (sitter.problem() == null) {
                assertThat(System.nanoTime()).isLessThan(end);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
            assertThat(sitter.problem()).contains("has died");
        }
    }
}
