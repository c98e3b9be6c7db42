package dev.longhaul.spring;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.longhaul.spring.autoconfigure.LonghaulProperties;
import dev.longhaul.testing.PrintedPage;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Prints docs/reference/spring-properties.md from the metadata that editors read. */
class PropertiesDocTest {
    private static final String TITLE = """
            # Spring Boot properties

            Printed from the code by `PropertiesDocTest`; do not edit.

            Properties of the starters, for `application.properties`, the environment (`LONGHAUL_CANCEL_GRACE=10s`) and every other source of Spring
            Boot. Those that a server has too have its names and defaults ([settings](settings.md)). Times are `500ms`, `90s`, `5m`, `2h` or `7d`.

            | property | type | default | meaning |
            |---|---|---|---|
            """;

    @Test
    void the_page_lists_all_properties() throws IOException {
        var rows = new TreeMap<String, String>();
        for (JsonNode property : metadata().get("properties")) {
            String name = property.get("name").asText();
            if (name.startsWith("longhaul.")) {
                rows.put(name, row(name, property));
            }
        }
        PrintedPage.check(
                "reference/spring-properties.md", "spring-boot-3-starter", TITLE + String.join("", rows.values()));
    }

    private static String row(String name, JsonNode property) {
        JsonNode value = property.get("defaultValue");
        String type = property.get("type").asText().replaceAll("[a-z]+\\.", "").replace(",", ", ");
        String usual = value == null ? "" : "`" + value.asText() + "`";
        JsonNode meaning = property.get("description");
        return "| `" + name + "` | " + type.replace("<", "&lt;") + " | " + usual.replace("``", "") + " | "
                + (meaning == null ? "" : meaning.asText()) + " |\n";
    }

    private static JsonNode metadata() throws IOException {
        String classes = LonghaulProperties.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString();
        String file = "META-INF/spring-configuration-metadata.json";
        String url = classes.endsWith(".jar") ? "jar:" + classes + "!/" + file : classes + file;
        try (InputStream in = new URL(url).openStream()) {
            return new ObjectMapper().readTree(in);
        }
    }
}
