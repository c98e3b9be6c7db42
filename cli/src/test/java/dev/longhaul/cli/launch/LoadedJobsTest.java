package dev.longhaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.Isolation;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoadedJobsTest {
    private static final String SERVICE = "META-INF/services/dev.longhaul.JobDefinitions";

    @TempDir
    Path directory;

    private Path classes;

    @BeforeEach
    void prepare() throws IOException {
        classes = Files.createDirectory(directory.resolve("classes"));
    }

    @Test
    void come_from_a_directory_and_a_jar_beside_the_demo_ones() throws IOException {
        UserJobs.compile(classes, "Words", UserJobs.answering("one"), "test.Words");
        assertThat(loaded(true, classes)).contains("test.word@1", "demo.echo@1");
        Path jar = UserJobs.jar(directory.resolve("jobs.jar"), classes);
        assertThat(loaded(false, jar)).containsExactly("test.word@1");
    }

    @Test
    void are_not_found_without_a_provider() {
        assertThatThrownBy(() -> loaded(true, classes))
                .isInstanceOf(LonghaulException.class)
                .hasMessageStartingWith("jobs: " + classes)
                .hasMessageContaining(SERVICE);
    }

    @Test
    void name_a_provider_that_exists() throws IOException {
        UserJobs.compile(classes, "Words", UserJobs.answering("one"), "test.Wrods");
        assertThatThrownBy(() -> loaded(true, classes))
                .isInstanceOf(LonghaulException.class)
                .hasMessageContaining("test.Wrods");
    }

    @Test
    void are_refused_when_a_class_is_broken_or_missing() throws IOException {
        UserJobs.compile(classes, "Words", UserJobs.answering("one"), "test.Words");
        Files.delete(classes.resolve("test/Words$Params.class"));
        assertThatThrownBy(() -> loaded(true, classes))
                .isInstanceOf(LonghaulException.class)
                .hasMessageContaining("Words$Params");
        Files.writeString(classes.resolve("test/Words.class"), "no class");
        assertThatThrownBy(() -> loaded(true, classes))
                .isInstanceOf(LonghaulException.class)
                .hasMessageContaining("ClassFormatError");
    }

    @Test
    void have_each_key_once() throws IOException {
        String source = UserJobs.answering("one").replace("test.word", "demo.echo");
        UserJobs.compile(classes, "Words", source, "test.Words");
        assertThatThrownBy(() -> loaded(true, classes))
                .isInstanceOf(LonghaulException.class)
                .hasMessageContaining("demo.echo@1")
                .hasMessageContaining("registered once");
    }

    @Test
    void that_were_loaded_from_a_directory_do_not_see_its_next_build() throws Exception {
        UserJobs.compile(classes, "Words", UserJobs.answering("one"), "test.Words");
        try (var jobs = LoadedJobs.load(new JobsConfig(List.of(classes), true, false, false, null))) {
            UserJobs.compile(classes, "Words", UserJobs.answering("two"), "test.Words");
            Class<?> word = Class.forName(
                    "test.Word", true, jobs.definitions()[0].params().type().getClassLoader());
            var it = word.getDeclaredField("IT");
            it.setAccessible(true);
            assertThat(it.get(null)).isEqualTo("one");
        }
    }

    @Test
    void run_in_processes_unless_they_or_the_operator_say_otherwise() throws Exception {
        UserJobs.compile(classes, "Words", UserJobs.answering("one"), "test.Words");
        assertThat(isolation(null)).isEqualTo(Isolation.process());
        assertThat(isolation(Isolation.process())).isEqualTo(Isolation.process());
        assertThat(isolation(Isolation.thread())).isEqualTo(Isolation.thread());
    }

    private Isolation isolation(@Nullable Isolation chosen) {
        var config = new JobsConfig(List.of(classes), false, false, false, null, chosen, null, List.of());
        try (var jobs = LoadedJobs.load(config)) {
            return jobs.definitions()[0].isolation();
        }
    }

    private static List<String> loaded(boolean demo, Path... paths) {
        try (var jobs = LoadedJobs.load(new JobsConfig(List.of(paths), false, demo, false, null))) {
            return jobs.registry().names().stream().map(DefinitionRef::toString).toList();
        }
    }
}
