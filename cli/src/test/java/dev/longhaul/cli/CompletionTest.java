package dev.longhaul.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompletionTest {
    @Nested
    class Candidates {
        private List<String> complete(String... words) {
            var arguments = new String[words.length + 2];
            arguments[0] = "complete";
            arguments[1] = "--";
            System.arraycopy(words, 0, arguments, 2, words.length);
            return ServerFixture.execute(arguments).exitsWith(0).lines().stream()
                    .map(line -> line.replaceFirst("\t.*", ""))
                    .toList();
        }

        @Test
        void are_commands_and_options() {
            assertThat(complete("sch")).containsExactly("schedules");
            assertThat(complete("schedules", "pre")).containsExactly("preview");
            assertThat(complete("")).contains("submit", "why", "dev").doesNotContain("complete");
            assertThat(complete("list", "--fin")).containsExactly("--finished-after", "--finished-before");
            assertThat(ServerFixture.execute("complete", "--", "defin").out())
                    .isEqualTo("definitions\tLists the definitions of jobs, or shows one with its schemas.\n");
        }

        @Test
        void are_the_values_of_options() {
            assertThat(complete("list", "--status", "f")).containsExactly("failed");
            assertThat(complete("list", "--status=f")).containsExactly("--status=failed");
            assertThat(complete("list", "--status", "=", "f")).as("bash").containsExactly("failed");
            assertThat(complete("list", "--status", "failed,su")).containsExactly("failed,succeeded");
            assertThat(complete("keys", "create", "--role", "")).contains("viewer", "worker");
            assertThat(complete("get", "x", "--key-file", "")).containsExactly(":files");
        }

        @Test
        void are_the_names_on_the_server() {
            try (var server = new ServerFixture()) {
                server.submit("test.echo", "--params={\"text\":\"a\",\"number\":1}", "--queue=other", "--hold");
                String url = "--url=" + server.url();
                assertThat(complete("submit", url, "test.e")).containsExactly("test.echo");
                assertThat(complete("list", url, "--definition", "test.f")).containsExactly("test.fail");
                assertThat(complete("pause", "--url", server.url(), "")).containsExactly("default", "other");
                assertThat(complete("list", url, "--queue=o")).containsExactly("--queue=other");
            }
        }

        @Test
        void are_none_without_a_server() {
            assertThat(complete("pause", "--url=http://127.0.0.1:1", "")).isEmpty();
        }
    }

    /** Loads each script in its shell, with a program that records its arguments in place of longhaul. */
    @Nested
    class Scripts {
        private static final String PROGRAM = """
            #!/bin/sh
            [ "$1 $2" = 'complete --' ] || exit 1
            shift 2
            printf '<%s>' "$@" >>"$(dirname "$0")/words"
            printf 'failed\\twith a description\\nfurther\\n'
            """;

        @TempDir
        private Path directory;

        @Test
        void of_bash_offers_the_candidates() throws Exception {
            assertThat(run("bash", """
                COMP_WORDS=(longhaul list --status = f)
                COMP_CWORD=4
                _complete_longhaul
                echo "${COMPREPLY[@]}"
                complete -p longhaul
                """)).isEqualTo("failed further\ncomplete -F _complete_longhaul longhaul\n");
            assertThat(directory.resolve("words")).hasContent("<list><--status><=><f>");
        }

        @Test
        void of_bash_runs_the_alias_that_was_typed() throws Exception {
            assertThat(run("bash", """
                alias lh="LONGHAUL_URL=http://127.0.0.1:1 $HOME/longhaul"
                COMP_WORDS=(lh list --status f)
                COMP_CWORD=3
                _complete_longhaul
                echo "${COMPREPLY[@]}"
                """)).isEqualTo("failed further\n");
            assertThat(directory.resolve("words")).hasContent("<list><--status><f>");
        }

        @Test
        void of_zsh_offers_the_candidates() throws Exception {
            assertThat(run("zsh", """
                compadd() { shift; print -r -- "$@" }
                words=(longhaul list --status f)
                CURRENT=4
                _complete_longhaul
                """)).isEqualTo("failed further\n");
            assertThat(directory.resolve("words")).hasContent("<list><--status><f>");
        }

        @Test
        void of_fish_offers_the_candidates() throws Exception {
            assertThat(run("fish", "complete -C 'longhaul list --status f'\n"))
                    .isEqualTo("failed\twith a description\nfurther\n");
            assertThat(directory.resolve("words")).hasContent("<list><--status><f>");
        }

        private String run(String shell, String test) throws IOException, InterruptedException {
            assumeTrue(isInstalled(shell), shell + " is not installed");
            Checkout.writeScript(directory.resolve("longhaul"), PROGRAM.substring("#!/bin/sh\n".length()));
            // compdef belongs to zsh's completion system, which a script cannot start.
            String prepare = shell.equals("zsh") ? "compdef() { : }\n" : "";
            String script =
                    ServerFixture.execute("completion", shell).exitsWith(0).out();
            var builder = new ProcessBuilder(shell, "-c", prepare + script + test).redirectErrorStream(true);
            builder.environment().put("HOME", directory.toString());
            builder.environment().merge("PATH", directory.toString(), (path, first) -> first + ":" + path);
            Process process = builder.start();
            String out = new String(process.getInputStream().readAllBytes(), UTF_8);
            assertThat(process.waitFor()).as(out).isZero();
            return out;
        }

        private static boolean isInstalled(String shell) {
            return List.of("/usr/bin", "/bin", "/usr/local/bin").stream()
                    .anyMatch(directory -> Files.isExecutable(Path.of(directory, shell)));
        }
    }
}
