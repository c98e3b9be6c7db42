package dev.longhaul.process.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.longhaul.process.sitter.KillMethod;
import dev.longhaul.process.sitter.ProcessTree;
import dev.longhaul.process.sitter.Signals;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A sitter that does not read. */
@Timeout(60)
class SitterTest {
    /** More lines than a pipe holds; each has about 20 bytes. */
    private static final int MANY = 10_000;

    @TempDir
    private Path directory;

    private ProcessTree tree(String id) {
        Path place = directory.resolve(id);
        return new ProcessTree(id, KillMethod.CGROUP_KILL, place.toString(), List.of(), place);
    }

    private static void stop(Sitter sitter) {
        Signals.send("STOP", Set.of(sitter.pid()));
    }

    @Test
    void blocks_nothing_and_is_replaced() throws Exception {
        assumeTrue(Confinement.impossible().isEmpty(), "no /proc here");
        try (var sitter = new Sitter(JavaCommand.executable(), Duration.ofMillis(500))) {
            sitter.watch(tree("a"), () -> Long.MAX_VALUE);
            long stopped = sitter.pid();
            stop(sitter);
            CompletableFuture<Void> renewed = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < MANY; i++) {
                    sitter.renew(tree("a"));
                }
                sitter.watch(tree("b"), () -> Long.MAX_VALUE);
                sitter.forget(tree("a"));
            });
            renewed.get(30, TimeUnit.SECONDS);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (sitter.pid() == stopped || ProcessHandle.of(stopped).isPresent()) {
                assertThat(System.nanoTime()).isLessThan(end);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
        }
    }

    @Test
    void does_not_keep_its_worker_from_closing() throws Exception {
        assumeTrue(Confinement.impossible().isEmpty(), "no /proc here");
        var sitter = new Sitter(JavaCommand.executable(), Duration.ofMillis(500));
        sitter.watch(tree("a"), () -> Long.MAX_VALUE);
        long stopped = sitter.pid();
        stop(sitter);
        CompletableFuture.runAsync(() -> {
                    for (int i = 0; i < MANY; i++) {
                        sitter.renew(tree("a"));
                    }
                    sitter.close();
                })
                .get(30, TimeUnit.SECONDS);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (ProcessHandle.of(stopped).isPresent()) {
            assertThat(System.nanoTime()).as("the killed sitter is gone").isLessThan(end);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }
}
