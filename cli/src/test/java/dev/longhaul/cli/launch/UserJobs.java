package dev.longhaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** Jobs of a user: compiled by the test, in a directory or a jar. */
final class UserJobs {
    private static final String SERVICE = "META-INF/services/dev.longhaul.JobDefinitions";

    private UserJobs() {}

    /** The source of a provider whose {@code test.word} jobs return a word, and wait for a file if the params name one. */
    static String answering(String word) {
        return """
                package test;

                import dev.longhaul.*;
                import dev.longhaul.json.*;
                import java.nio.file.*;
                import java.util.List;

                public final class Words implements JobDefinitions {
                    public record Params(String waitFor) {}

                    @Override
                    public Iterable<JobDefinition<?, ?>> definitions() {
                        return List.of(JobDefinition.of("test.word", Params.class, String.class).handler((params, context) -> {
                            while (!params.waitFor().isEmpty() && !Files.exists(Path.of(params.waitFor()))) {
                                Thread.sleep(20);
                            }
                            return Word.IT;
                        }));
                    }
                }

                final class Word {
                    static final String IT = String.valueOf("%s");
                }
                """.formatted(word);
    }

    /** Compiles into the directory; {@code provider} is the class in the service file. */
    static void compile(Path classes, String name, String source, String provider) throws IOException {
        Path file = Files.createTempDirectory(classes.resolveSibling("."), "sources")
                .resolve(name + ".java");
        Files.writeString(file, source);
        compile(classes, List.of(file));
        Path service = classes.resolve(SERVICE);
        Files.createDirectories(service.getParent());
        Files.writeString(service, provider);
    }

    static void compile(Path classes, List<Path> sources) throws IOException {
        Files.createDirectories(classes);
        var compiler = ToolProvider.getSystemJavaCompiler();
        var said = new StringWriter();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            var options = List.of(
                    "-d",
                    classes.toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    "-proc:none",
                    "--release",
                    "17");
            assertThat(compiler.getTask(said, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
                            .call())
                    .as(said.toString())
                    .isTrue();
        }
    }

    static Path jar(Path jar, Path classes) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                var out = new JarOutputStream(file);
                Stream<Path> tree = Files.walk(classes)) {
            for (Path path : new ArrayList<>(tree.filter(Files::isRegularFile).toList())) {
                out.putNextEntry(new JarEntry(classes.relativize(path).toString()));
                Files.copy(path, out);
                out.closeEntry();
            }
        }
        return jar;
    }
}
