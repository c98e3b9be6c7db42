package dev.longhaul.cli.launch;

import dev.longhaul.testing.PrintedPage;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Prints docs/reference/settings.md from {@link Setting}; {@code -Dlonghaul.docs=write} rewrites the page. */
class SettingsDocTest {
    @Test
    void the_page_lists_every_setting() throws IOException {
        PrintedPage.check("reference/settings.md", "cli", printed());
    }

    private static String printed() {
        return """
                # Settings

                Printed from the code by `SettingsDocTest`; do not edit.

                Settings of `longhaul server`, `longhaul worker` and `longhaul dev`. Give each as a flag (`--cancel-grace 10s`), as an
                environment variable (`LONGHAUL_CANCEL_GRACE=10s`), or as a line in the file of `--config` (`cancel-grace=10s`). A flag
                overrides the environment, the environment overrides the file. Times are `500ms`, `90s`, `5m`, `2h` or `7d`. A setting
                that may hold a password (marked *secret*) belongs into the environment or the file, not on the command line, where
                other users of the machine see it.

                | setting | value | default | meaning |
                |---|---|---|---|
                %s

                The environment variable of a setting is `LONGHAUL_` and its name in capitals, with `_` for `-`. `longhaul doctor` checks
                the settings of a server before you start it.
                """.formatted(
                Arrays.stream(Setting.values()).map(SettingsDocTest::row).collect(Collectors.joining("\n")));
    }

    private static String row(Setting setting) {
        String fallback = setting.fallback();
        return "| `%s` | %s | %s | %s%s |"
                .formatted(
                        setting.flag(),
                        code(setting.label() == null ? "true or false" : setting.label()),
                        fallback == null ? "" : code(fallback),
                        meaning(setting),
                        setting.secret() ? " *Secret.*" : "");
    }

    private static String meaning(Setting setting) {
        return setting.help()
                .replaceAll(
                        " \\(default: " + java.util.regex.Pattern.quote(String.valueOf(setting.fallback())) + "\\)$",
                        "")
                .replace("|", "\\|");
    }

    private static String code(@Nullable String text) {
        return "`" + String.valueOf(text).replace("|", "\\|") + "`";
    }
}
