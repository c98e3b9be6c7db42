package dev.longhaul.process.java;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobHandler;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.process.child.ChildMain;
import dev.longhaul.process.supervise.Confinement;
import dev.longhaul.process.supervise.Supervisor;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The class path of a definition's children. */
class ClassPathTest {
    private static final String PROVIDER = ChildMain.class.getName();

    @TempDir
    private Path directory;

    private final Supervisor supervisor = new Supervisor(Confinement.best());

    @AfterEach
    void close() {
        supervisor.close();
    }

    /** A definition whose handler is a class of that loader. */
    @SuppressWarnings("unchecked")
    private static JobDefinition<String, String> definition(ClassLoader loader) {
        var handler = (JobHandler<String, String>)
                Proxy.newProxyInstance(loader, new Class<?>[] {JobHandler.class}, (proxy, method, arguments) -> "");
        return JobDefinition.of("loaded", String.class, String.class).handler(handler);
    }

    private String of(ClassLoader loader, String provider) throws IOException {
        return ClassPath.of(definition(loader), provider, supervisor.nestedJars());
    }

    @Test
    void has_the_files_of_all_loaders_and_copies_of_nested_jars() throws IOException {
        Path app = directory.resolve("app.jar");
        try (var jar = new JarOutputStream(Files.newOutputStream(app))) {
            jar.putNextEntry(new JarEntry("BOOT-INF/lib/library.jar"));
        }
        URL nested = new URL("jar:" + app.toUri() + "!/BOOT-INF/lib/library.jar!/");
        Path plain = Files.createDirectory(directory.resolve("plain"));
        try (var outer = new URLClassLoader(new URL[] {nested}, getClass().getClassLoader());
                var inner = new URLClassLoader(new URL[] {plain.toUri().toURL()}, outer)) {
            List<String> entries = List.of(of(inner, PROVIDER).split(File.pathSeparator));
            assertThat(entries.get(0)).isEqualTo(plain.toString());
            assertThat(Path.of(entries.get(1))).isRegularFile().hasFileName("0-library.jar");
            assertThat(String.join(File.pathSeparator, entries.subList(2, entries.size())))
                    .isEqualTo(ClassPath.absolute(System.getProperty("java.class.path")));
        }
    }

    @Test
    void is_rejected_without_the_provider() {
        assertThatThrownBy(() -> of(getClass().getClassLoader(), "no.Such"))
                .isInstanceOf(LonghaulException.class)
                .hasMessageStartingWith(
                        "loaded@1: isolation: process (expected: the class no.Such in jars or directories"
                                + " that a child JVM can load");
    }
}
