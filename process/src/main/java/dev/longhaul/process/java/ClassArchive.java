package dev.longhaul.process.java;

import dev.longhaul.process.child.ChildMain;
import dev.longhaul.process.supervise.JavaCommand;
import dev.longhaul.process.supervise.Launch;
import dev.longhaul.process.supervise.ProcessLimits;
import dev.longhaul.process.supervise.SupervisedProcess;
import dev.longhaul.process.supervise.Supervisor;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A class data sharing (CDS) archive for JVMs of one kind. One JVM creates it; JVMs started later need half the time to
 * start.
 */
final class ClassArchive {
    private static final Logger LOG = LoggerFactory.getLogger(ClassArchive.class);

    private static final String FILE = "classes.jsa";

    private final ChildKind kind;
    private final Supervisor supervisor;
    private final Path file;
    private volatile boolean ready;

    ClassArchive(ChildKind kind, Supervisor supervisor, Path file) {
        this.kind = kind;
        this.supervisor = supervisor;
        this.file = file;
    }

    /** Removes the file; JVMs that have mapped it are not affected. */
    void remove() {
        ready = false;
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.debug("could not remove {}", file, e);
        }
    }

    /** Returns the JVM options that use the archive; none until it is ready. */
    List<String> options() {
        return ready ? List.of("-XX:SharedArchiveFile=" + file, "-Xlog:cds=off", "-Xlog:cds+dynamic=off") : List.of();
    }

    /**
     * Creates the archive, which takes about a second. Does nothing unless all entries are jars, because CDS requires
     * jars.
     */
    void make() {
        boolean jars = Stream.of(kind.classPath().split(File.pathSeparator))
                .allMatch(entry -> Files.isRegularFile(Path.of(entry)));
        if (!jars) {
            return;
        }
        var command = new ArrayList<>(List.of(JavaCommand.executable()));
        command.addAll(kind.jvmOptions());
        command.addAll(List.of(
                "-XX:ArchiveClassesAtExit=" + FILE,
                "-cp",
                kind.classPath(),
                ChildMain.class.getName(),
                kind.provider()));
        var launch = new Launch(command, Map.of(), null, ProcessLimits.NONE, () -> Long.MAX_VALUE);
        try (SupervisedProcess process = supervisor.start(launch, null)) {
            String stderr = read(process);
            // The JVM writes into its own directory, where its user may write.
            Path made = process.directory().resolve(FILE);
            ready = process.await().exitCode() == 0
                    && supervisor.confinement().user().take(made, file);
            LOG.debug("class archive of {}: {}", kind.provider(), ready ? "ready" : stderr);
        } catch (IOException e) {
            LOG.debug("creating the class archive of {} failed; child JVMs start without it", kind.provider(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String read(SupervisedProcess process) throws IOException {
        process.stdout().transferTo(OutputStream.nullOutputStream());
        return new String(process.stderr().readAllBytes(), StandardCharsets.UTF_8);
    }
}
