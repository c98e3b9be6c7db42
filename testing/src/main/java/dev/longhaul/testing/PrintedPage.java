package dev.longhaul.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A page under docs/ that a test prints from the code; {@code -Dlonghaul.docs=write} rewrites it. */
public final class PrintedPage {
    private PrintedPage() {}

    /**
     * Fails unless the page contains exactly {@code printed}.
     *
     * @param page relative to docs/, such as {@code reference/rest.md}
     * @param module the module of the calling test, which runs in the module's folder
     */
    public static void check(String page, String module, String printed) throws IOException {
        Path path = Path.of("..", "docs").resolve(page);
        if ("write".equals(System.getProperty("longhaul.docs"))) {
            Files.writeString(path, printed);
        }
        String rewrite = "mvn -B test -pl " + module + " -am -Dtest='*DocTest'"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dlonghaul.docs=write";
        assertThat(path).as("%s (rewrite it: %s)", path, rewrite).hasContent(printed);
    }
}
