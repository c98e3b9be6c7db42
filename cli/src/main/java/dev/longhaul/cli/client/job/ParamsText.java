package dev.longhaul.cli.client.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonParser;
import dev.longhaul.cli.client.Api;
import dev.longhaul.cli.client.ServerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A job's params as they are given to a command: JSON, a file with it, or standard input. */
final class ParamsText {
    static final String FORMS = "The job's params: JSON, @file, or - for standard input.";

    private ParamsText() {}

    static String read(String given) {
        try {
            if (given.equals("-")) {
                return oneValue(new String(System.in.readAllBytes(), UTF_8));
            }
            return oneValue(given.startsWith("@") ? Files.readString(Path.of(given.substring(1))) : given);
        } catch (IOException e) {
            throw ServerOptions.bad("params", given, "JSON, @ and a UTF-8 text file that can be read, or -");
        }
    }

    /** The text, which must be one JSON value: it goes into the request as it is, so that no number is rounded on its way. */
    private static String oneValue(String text) {
        try (JsonParser parser = Api.JSON.createParser(text)) {
            boolean any = parser.nextToken() != null;
            parser.skipChildren();
            if (any && parser.nextToken() == null) {
                return text.strip();
            }
        } catch (IOException e) {
            // Said below.
        }
        throw ServerOptions.bad("params", text.strip(), "one JSON value, such as {\"millis\": 100}");
    }
}
