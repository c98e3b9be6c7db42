package dev.longhaul.process.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.process.sitter.SitterMain;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NestedJarsTest {
    private static final String LIBRARY = "BOOT-INF/lib/a.jar";
    private static final Map<String, String> ENTRIES = new TreeMap<>(Map.of(
            "META-INF/MANIFEST.MF",
            "Manifest-Version: 1.0\nImplementation-Version: 7\n\n",
            LIBRARY,
            "a jar",
            "WEB-INF/lib/a.jar",
            "another jar",
            "BOOT-INF/classes/",
            "",
            "BOOT-INF/classes/p/A.class",
            "a class",
            "BOOT-INF/classes/META-INF/services/p.A",
            "p.B"));

    @TempDir
    private Path directory;

    private Path app() throws IOException {
        Path app = Files.createDirectories(directory.resolve("a b!")).resolve("app.jar");
        try (var jar = new ZipOutputStream(Files.newOutputStream(app))) {
            for (var entry : ENTRIES.entrySet()) {
                jar.putNextEntry(new ZipEntry(entry.getKey()));
                jar.write(entry.getValue().getBytes(StandardCharsets.UTF_8));
            }
        }
        return app;
    }

    private NestedJars jars() throws IOException {
        return new NestedJars(Files.createDirectory(directory.resolve("jars")), ProcessUser.OWN);
    }

    /** A URL as Spring Boot's loaders create it; their protocol handler is not needed. */
    private static ClassPlace place(String url) throws MalformedURLException {
        return ClassPlace.of(new URL(null, url, new URLStreamHandler() {
            @Override
            protected URLConnection openConnection(URL opened) {
                throw new UnsupportedOperationException();
            }
        }));
    }

    private static String raw(Path path) {
        return path.toUri().getRawPath().replace("!", "%21");
    }

    @Nested
    class Places {
        @Test
        void are_files_and_directories() throws IOException {
            Path app = app();
            assertThat(ClassPlace.of(app.toUri().toURL())).isEqualTo(new ClassPlace(app, ""));
            assertThat(place("jar:file:" + raw(app) + "!/")).isEqualTo(new ClassPlace(app, ""));
            assertThat(ClassPlace.of(SitterMain.class).file()).exists();
        }

        @Test
        void are_entries_of_jars_of_both_loaders_of_spring_boot() throws IOException {
            Path app = app();
            assertThat(place("jar:nested:" + raw(app) + "/!" + LIBRARY + "!/")).isEqualTo(new ClassPlace(app, LIBRARY));
            assertThat(place("jar:file:" + raw(app) + "!/" + LIBRARY + "!/")).isEqualTo(new ClassPlace(app, LIBRARY));
            var classes = new ClassPlace(app, "BOOT-INF/classes/");
            assertThat(place("jar:nested:" + raw(app) + "/!BOOT-INF/classes/!/"))
                    .isEqualTo(classes);
        }

        @Test
        void are_rejected_where_another_process_cannot_read_them() {
            for (String url : List.of("https://example.com/a.jar", "war:file:/a.war*/WEB-INF/lib/a.jar")) {
                assertThatThrownBy(() -> place(url))
                        .isInstanceOf(LonghaulException.class)
                        .hasMessage("isolation: process, with classes in " + url
                                + " (expected: a jar or a directory, which a child JVM can load; or isolation thread)");
            }
        }
    }

    @Nested
    class Copies {
        @Test
        void of_jars_have_their_bytes() throws IOException {
            Path app = app();
            NestedJars jars = jars();
            Path copy = jars.fileOf(new ClassPlace(app, LIBRARY));
            assertThat(copy).hasContent("a jar").hasParent(directory.resolve("jars"));
            assertThat(jars.fileOf(new ClassPlace(app, "WEB-INF/lib/a.jar"))).hasContent("another jar");
            assertThat(jars.fileOf(new ClassPlace(app, LIBRARY))).isEqualTo(copy);
        }

        @Test
        void of_directories_are_jars_with_the_manifest_of_the_application() throws IOException {
            // The old loader names the directory without a slash.
            ClassPlace classes = place("jar:file:" + raw(app()) + "!/BOOT-INF/classes!/");
            try (var jar = new JarFile(jars().fileOf(classes).toFile())) {
                assertThat(jar.stream().map(ZipEntry::getName))
                        .containsExactly("META-INF/MANIFEST.MF", "META-INF/services/p.A", "p/A.class");
                assertThat(jar.getManifest().getMainAttributes().getValue("Implementation-Version"))
                        .isEqualTo("7");
                assertThat(jar.getInputStream(jar.getEntry("p/A.class"))).hasContent("a class");
            }
        }

        @Test
        void are_not_made_of_plain_files() throws IOException {
            assertThat(jars().fileOf(new ClassPlace(directory, ""))).isEqualTo(directory);
        }

        @Test
        void of_what_is_missing_or_nested_twice_are_rejected() throws IOException {
            Path app = app();
            NestedJars jars = jars();
            for (String entry : List.of("BOOT-INF/lib/missing.jar", LIBRARY + "!/inner/", "WEB-INF/classes/")) {
                assertThatThrownBy(() -> jars.fileOf(new ClassPlace(app, entry)))
                        .isInstanceOf(LonghaulException.class)
                        .hasMessageContaining(entry + " of " + app);
            }
            assertThatThrownBy(() -> jars.fileOf(new ClassPlace(directory.resolve("no.jar"), LIBRARY)))
                    .isInstanceOf(LonghaulException.class)
                    .hasMessageContaining("no.jar");
        }
    }

    @Test
    void the_place_of_a_uri_with_spaces_is_decoded() throws IOException {
        Path app = app();
        assertThat(ClassPlace.of(URI.create(app.toUri().toString()).toURL()).file())
                .isEqualTo(app);
    }
}
