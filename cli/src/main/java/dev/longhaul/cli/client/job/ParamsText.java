package dev.longhaul.cli.client.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonParser;
import dev.longhaul.cli.client.Json;
import dev.longhaul.cli.client.ServerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the params of a job from JSON, a file or standard input. */
final class ParamsText {
    static final String FORMS = "Params of the job: JSON, @file, or - for standard input.";

    private ParamsText() {}

    static String read(String given) {
        try {
            if (given.equals("-")) {
                return oneValue(new String(System.in.readAllBytes(), UTF_8));
            }
            return oneValue(given.startsWith("@") ? Files.readString(Path.of(given.substring(1))) : given);
        } catch (IOException e) {
            throw ServerOptions.bad("params", given, "JSON, @ and a readable UTF-8 file, or -");
        }
    }

    /** Checks that the text is one JSON value, and returns it unchanged, so that no number is rounded. */
    private static String oneValue(String text) {
        try (JsonParser parser = Json.parser(text)) {
            boolean any = parser.nextToken() != null;
            parser.skipChildren();
            if (any && parser.nextToken() == null) {
                return text.strip();
            }
        } catch (IOException e) {
            // The text is reported as invalid below.
        }
        throw ServerOptions.bad("params", text.strip(), "one JSON value, e.g. {\"millis\": 100}");
    }
}
