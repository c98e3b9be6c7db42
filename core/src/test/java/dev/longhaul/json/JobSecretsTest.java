package dev.longhaul.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Secret places as they are stored with a job. */
class JobSecretsTest {
    private static final String CANARY = "hunter2-canary";

    record Login(String user, @Secret String password) {}

    record Sync(String url, Login source, Map<String, Login> others) {}

    private static JobSecrets marked(String paramsSchema) {
        return JobSecrets.of("any", JsonSchema.parse(paramsSchema), JsonSchema.ANYTHING);
    }

    private static String stored(String paramsSchema) {
        return Objects.requireNonNull(marked(paramsSchema).text());
    }

    @Nested
    class Text {
        @Test
        void is_null_without_secrets() {
            assertThat(marked("{\"type\":\"object\"}").text()).isNull();
            assertThat(JobSecrets.parse(null)).isSameAs(JobSecrets.NONE);
        }

        @Test
        void contains_only_the_places_of_secrets() {
            assertThat(stored("""
                    {"type":"object","required":["password"],"properties":{
                        "size":{"type":"integer","maximum":9},
                        "password":{"type":"string","minLength":8,"writeOnly":true}}}
                    """)).isEqualTo("{\"params\":{\"properties\":{\"password\":{\"writeOnly\":true}}}}");
        }

        @Test
        void of_records_holds_no_references() {
            JobSecrets secrets = JobSecrets.of("any", JsonSchema.of(Sync.class), JsonSchema.of(Login.class));

            assertThat(secrets.text())
                    .isEqualTo("{\"params\":{\"properties\":{"
                            + "\"source\":{\"properties\":{\"password\":{\"writeOnly\":true}}},"
                            + "\"others\":{\"additionalProperties\":{\"properties\":{\"password\":{\"writeOnly\":true}}}}}},"
                            + "\"result\":{\"properties\":{\"password\":{\"writeOnly\":true}}}}");
        }

        @Test
        void of_both_holds_each_once() {
            JobSecrets one = marked("{\"properties\":{\"a\":{\"writeOnly\":true}}}");
            JobSecrets other = marked("{\"properties\":{\"b\":{\"writeOnly\":true}}}");

            JobSecrets both =
                    one.and(other).and(one).and(JobSecrets.parse(one.and(other).text()));
            assertThat(both.text())
                    .isEqualTo("{\"params\":{\"allOf\":[{\"properties\":{\"a\":{\"writeOnly\":true}}},"
                            + "{\"properties\":{\"b\":{\"writeOnly\":true}}}]}}");
        }
    }

    @Nested
    class Masking {
        /** Each of these schemas marks the place of the canary in the value below. */
        @ParameterizedTest
        @ValueSource(
                strings = {
                    "{\"properties\":{\"a\":{\"writeOnly\":true}}}",
                    "{\"additionalProperties\":{\"writeOnly\":true},\"properties\":{\"plain\":{}}}",
                    "{\"properties\":{\"a\":{\"prefixItems\":[{},{\"properties\":{\"b\":{\"writeOnly\":true}}}]}}}",
                    "{\"properties\":{\"a\":{\"items\":{\"properties\":{\"b\":{\"writeOnly\":true}}}}}}",
                    "{\"properties\":{\"a\":{\"contains\":{\"additionalProperties\":{\"writeOnly\":true}}}}}",
                    "{\"anyOf\":[true,{\"if\":{},\"then\":{\"properties\":{\"a\":{\"writeOnly\":true}}}}]}",
                    "{\"$ref\":\"#/$defs/x\",\"$defs\":{\"x\":{\"properties\":{\"a\":{\"writeOnly\":true}}}}}",
                    "{\"unevaluatedProperties\":{\"items\":{\"unevaluatedProperties\":{\"writeOnly\":true}}},"
                            + "\"properties\":{\"plain\":{}}}",
                    "{\"$defs\":{\"n\":{\"properties\":{\"b\":{\"writeOnly\":true},\"n\":{\"$ref\":\"#/$defs/n\"}}}},"
                            + "\"properties\":{\"a\":{\"items\":{\"$ref\":\"#/$defs/n\"}}}}",
                })
        void follows_the_stored_places_whatever_the_schema_is_now(String schema) {
            JobSecrets secrets = JobSecrets.parse(stored(schema));
            String json = "{\"a\":[1,{\"b\":\"" + CANARY + "\"}],\"plain\":2}";

            assertThat(secrets.maskedParams(json, JsonSchema.ANYTHING))
                    .doesNotContain(CANARY)
                    .contains("***", "\"plain\":2");
            assertThat(secrets.secretsIn(json, JsonSchema.ANYTHING).hide(CANARY))
                    .isEqualTo("***");
        }

        @Test
        void adds_places_that_the_current_schema_marks() {
            JobSecrets secrets = marked("{\"properties\":{\"a\":{\"writeOnly\":true}}}");
            JsonSchema now = JsonSchema.parse("{\"properties\":{\"b\":{\"type\":\"integer\",\"writeOnly\":true}}}");

            assertThat(secrets.maskedParams("{\"a\":\"one-secret\",\"b\":1234567,\"c\":3}", now))
                    .isEqualTo("{\"a\":\"***\",\"b\":\"***\",\"c\":3}");
            assertThat(secrets.secretsIn("{\"a\":\"one-secret\",\"b\":1234567}", now)
                            .values())
                    .contains("one-secret", "1234567");
        }

        @Test
        void covers_results() {
            JobSecrets secrets = JobSecrets.parse(JobSecrets.of("any", JsonSchema.ANYTHING, JsonSchema.of(Login.class))
                    .text());

            assertThat(secrets.maskedResult("{\"user\":\"u\",\"password\":\"p\"}", JsonSchema.ANYTHING))
                    .isEqualTo("{\"user\":\"u\",\"password\":\"***\"}");
            assertThat(secrets.maskedParams("{\"password\":\"p\"}", JsonSchema.ANYTHING))
                    .isEqualTo("{\"password\":\"p\"}");
        }

        @Test
        void covers_environments_of_commands_whatever_any_schema_says() {
            JobSecrets secrets = JobSecrets.of("command", JsonSchema.ANYTHING, JsonSchema.ANYTHING);

            assertThat(secrets.maskedParams("{\"argv\":[\"ls\"],\"env\":{\"TOKEN\":\"x\"}}", JsonSchema.ANYTHING))
                    .isEqualTo("{\"argv\":[\"ls\"],\"env\":{\"TOKEN\":\"***\"}}");
            assertThat(JobSecrets.always("command").any()).isTrue();
            assertThat(JobSecrets.always("http").maskedParams("{\"headers\":{\"a\":\"b\"}}", JsonSchema.ANYTHING))
                    .isEqualTo("{\"headers\":{\"a\":\"***\"}}");
            assertThat(JobSecrets.always("other").any()).isFalse();
        }

        @Test
        void hides_everything_when_the_stored_text_is_damaged() {
            for (String damaged : new String[] {"{", "", "7"}) {
                JobSecrets secrets = JobSecrets.parse(damaged);
                assertThat(secrets.maskedParams("{\"a\":1}", JsonSchema.ANYTHING))
                        .isEqualTo("\"***\"");
                assertThat(secrets.maskedResult("{\"a\":1}", JsonSchema.ANYTHING))
                        .isEqualTo("\"***\"");
            }
        }
    }
}
