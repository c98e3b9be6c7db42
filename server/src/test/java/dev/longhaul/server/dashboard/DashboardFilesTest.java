package dev.longhaul.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.server.Doors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class DashboardFilesTest {
    private static final int MOST_BYTES = 500 * 1024;
    private static final Pattern FILE = Pattern.compile("\"[.](/ui/[^\"]+)\"");

    @RegisterExtension
    final Doors doors = new Doors();

    @Test
    void the_page_references_every_file() throws IOException {
        String page = doors.api.get("/").body();
        try (var files = Files.list(Path.of("../dashboard/src/main/resources/dev/longhaul/dashboard"))) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> !name.equals("index.html")))
                    .isNotEmpty()
                    .allSatisfy(name -> assertThat(page).contains("/" + name + "\""));
        }
    }

    @Test
    void all_files_are_small_compressed_and_immutable() {
        var zipped = doors.api.with("Accept-Encoding", "gzip");
        int total = Integer.parseInt(zipped.get("/").header("content-length"));
        var names = FILE.matcher(doors.api.get("/").body());
        while (names.find()) {
            var file = zipped.get(names.group(1));
            assertThat(file.status()).as(names.group(1)).isEqualTo(200);
            assertThat(file.header("cache-control")).contains("immutable");
            assertThat(file.header("content-encoding")).isEqualTo("gzip");
            total += Integer.parseInt(file.header("content-length"));
        }
        System.out.printf("the whole dashboard, compressed: %,d bytes%n", total);
        assertThat(total).isLessThan(MOST_BYTES);
    }

    @Test
    void the_page_is_revalidated_with_its_etag() {
        var page = doors.api.get("/");
        assertThat(page.header("cache-control")).isEqualTo("no-cache");
        assertThat(doors.api.with("If-None-Match", page.header("etag")).get("/").status())
                .isEqualTo(304);
    }

    @Test
    void only_scripts_of_this_server_may_run() {
        assertThat(doors.api.get("/").header("content-security-policy"))
                .contains("default-src 'none'")
                .contains("script-src 'self' 'sha256-")
                .contains("require-trusted-types-for 'script'")
                .doesNotContain("unsafe");
    }

    @Test
    void files_of_another_version_return_404() {
        assertThat(doors.api.get("/ui/000000000000/app.js").status()).isEqualTo(404);
    }
}
