package dev.longhaul.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.api.http.ErrorText;
import dev.longhaul.api.http.Problem;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.server.Api;
import dev.longhaul.server.Doors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests with more parts than any client needs get one error, not one for each part. */
class RequestLimitsTest {
    @RegisterExtension
    final Doors doors = new Doors();

    @Test
    void a_batch_with_too_many_jobs_gets_one_error() {
        String jobs = IntStream.range(0, 30_000)
                .mapToObj(i -> "{\"definitionKey\":\"none\",\"queue\":\"?\"}")
                .collect(Collectors.joining(","));
        Api.Reply reply = doors.api.post("/v1/jobs/batch", "{\"jobs\":[" + jobs + "]}");

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.json().get("errors")).hasSize(1);
        assertThat(reply.json().get("detail").asText()).isEqualTo("jobs: more than 1000 (expected: at most 1000)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "labels"})
    void an_object_with_too_many_fields_gets_one_error(String name) {
        String fields =
                IntStream.range(0, 70_000).mapToObj(i -> "\"k" + i + "\":\"\"").collect(Collectors.joining(","));
        String body = name.isEmpty() ? "{" + fields + "}" : "{\"" + name + "\":{" + fields + "}}";
        Api.Reply reply = doors.api.post("/v1/jobs", body);

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.json().get("errors")).hasSize(1);
        assertThat(reply.json().at("/errors/0/field").asText()).isEqualTo(name.isEmpty() ? "body" : name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "{\"a\":", "{\"a\":NaN}", "{a:1}"})
    void malformed_json_is_explained_without_names_of_classes(String body) {
        Api.Reply reply = doors.api.post("/v1/jobs", body);

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.json().get("detail").asText()).startsWith("body: ").doesNotContain("Source", "Feature", "`");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ERROR: could not extend file \"base/16385/2619\": No space left on device"
                        + "|ERROR: could not extend file (a file of the database): No space left on device",
                "could not write to file \"pg_wal/xlogtemp.42\": x|could not write to file (a file of the database): x",
                "java.io.EOFException: End of input|End of input",
                "com.google.gson.stream.MalformedJsonException: Use a name|Use a name",
                "depth (67) exceeds the maximum allowed (66, from `StreamReadConstraints.getMaxNestingDepth()`)"
                        + "|depth (67) exceeds the maximum allowed (66)",
                "Non-standard token 'NaN': enable `JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS` to allow"
                        + "|Non-standard token 'NaN'"
            })
    void messages_of_libraries_lose_their_internals(String text, String shown) {
        assertThat(ErrorText.of(text)).isEqualTo(shown);
        assertThat(Problem.message(new LonghaulException(ErrorCode.UNAVAILABLE, text)))
                .isEqualTo(shown);
    }
}
