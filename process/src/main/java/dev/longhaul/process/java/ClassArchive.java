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

/** The classes that JVMs of a kind begin with, prepared once by one of them, so that the others start in half the time. */
final class ClassArchive {
    private static final Logger LOG = LoggerFactory.getLogger(ClassArchive.class);

    private static final String MADE = "classes.jsa";

    private final ChildKind kind;
    private final Supervisor supervisor;
    private final Path file;
    private volatile boolean ready;

    ClassArchive(ChildKind kind, Supervisor supervisor, Path file) {
        this.kind = kind;
        this.supervisor = supervisor;
        this.file = file;
    }

    /** Removes it; a JVM that has begun with it keeps what it has. */
    void remove() {
        ready = false;
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.debug("{} was not removed", file, e);
        }
    }

    /** What to tell a JVM; nothing until it is ready. */
    List<String> options() {
        return ready ? List.of("-XX:SharedArchiveFile=" + file, "-Xlog:cds=off", "-Xlog:cds+dynamic=off") : List.of();
    }

    /** Makes it; takes a second or so. Java knows how to do that for jars only. */
    void make() {
        boolean jars = Stream.of(kind.classPath().split(File.pathSeparator))
                .allMatch(entry -> Files.isRegularFile(Path.of(entry)));
        if (!jars) {
            return;
        }
        var command = new ArrayList<>(List.of(JavaCommand.executable()));
        command.addAll(kind.jvmOptions());
        command.addAll(List.of(
                "-XX:ArchiveClassesAtExit=" + MADE,
                "-cp",
                kind.classPath(),
                ChildMain.class.getName(),
                kind.provider()));
        var launch = new Launch(command, Map.of(), null, ProcessLimits.NONE, () -> Long.MAX_VALUE);
        try (SupervisedProcess process = supervisor.start(launch, null)) {
            String said = read(process);
            // In its own directory, where its user may write.
            Path made = process.directory().resolve(MADE);
            ready = process.await().exitCode() == 0
                    && supervisor.confinement().user().take(made, file);
            LOG.debug("class archive of {}: {}", kind.provider(), ready ? "ready" : said);
        } catch (IOException e) {
            LOG.debug("no class archive", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String read(SupervisedProcess process) throws IOException {
        process.stdout().transferTo(OutputStream.nullOutputStream());
        return new String(process.stderr().readAllBytes(), StandardCharsets.UTF_8);
    }
}
