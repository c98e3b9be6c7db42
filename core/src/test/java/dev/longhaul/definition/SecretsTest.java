package dev.longhaul.definition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SecretsTest {
    record Login(
            String user, @Secret String password, @Secret List<String> codes) {}

    private final Secrets secrets = Secrets.of(List.of("hunter2-\"x\"", "hunter2-\"x\"-longer", "short"));

    @Test
    void are_hidden_wherever_they_stand_the_longest_first() {
        assertThat(secrets.hide("a hunter2-\"x\"-longer b hunter2-\"x\"c")).isEqualTo("a *** b ***c");
    }

    @Test
    void are_hidden_as_json_writes_them_and_what_is_left_is_json() {
        assertThat(secrets.hideJson("{\"hunter2-\\\"x\\\"\":[\"see hunter2-\\\"x\\\"\",1]}"))
                .isEqualTo("{\"***\":[\"see ***\",1]}");
        assertThat(Secrets.of(List.of("123456")).hideJson("{\"pin\":123456,\"n\":1}"))
                .isEqualTo("{\"pin\":\"***\",\"n\":1}");
    }

    @Test
    void are_found_however_json_escapes_them() {
        var one = Secrets.of(List.of("a/b\t\"c\"d"));
        assertThat(one.hide("<a/b\\t\\\"c\\\"d> <a\\/b\\t\\\"c\\\"d> <a/b\\u0009\\\"c\\\"d>"))
                .isEqualTo("<***> <***> <***>");
        assertThat(one.hideJson("[\"a/b\\t\\\"c\\\"d\"]")).isEqualTo("[\"***\"]");
    }

    @Test
    void are_not_looked_for_when_they_are_short() {
        assertThat(secrets.hide("a short word")).isEqualTo("a short word");
        assertThat(Secrets.of(List.of("", "a")).any()).isFalse();
    }

    @Test
    void of_several_lines_are_hidden_line_by_line() {
        assertThat(Secrets.of(List.of("first line\nsecond line")).hide("> second line <"))
                .isEqualTo("> *** <");
    }

    @Test
    void are_found_where_a_schema_says_so() {
        JsonSchema schema = JsonSchema.of(Login.class);
        assertThat(schema.secretsIn("{\"user\":\"annabel\",\"password\":\"hunter2\",\"codes\":[\"111111\",\"222222\"]}")
                        .values())
                .containsExactlyInAnyOrder("hunter2", "111111", "222222");
        assertThat(schema.secretsIn("not json").any()).isFalse();
    }

    @Test
    void leave_the_log_by_their_names_too() {
        assertThat(LiveSecrets.hide("url?password=abc&x=1 {\"apiKey\":\"def\"} Authorization: Bearer ghi"))
                .isEqualTo("url?password=***&x=1 {\"apiKey\":\"***\"} Authorization: ***");
        assertThat(LiveSecrets.hide("a token of thanks")).isEqualTo("a token of thanks");
        assertThat(LiveSecrets.hide("password=\"two words\" token=abc,def x postgres://bob:hunter22@db/x"))
                .isEqualTo("password=\"***\" token=*** x postgres://bob:***@db/x");
        assertThat(LiveSecrets.hide("password=\"not closed\nand more")).isEqualTo("password=\"*** closed\nand more");
        assertThat(LiveSecrets.hide("secret: 'abc' more")).isEqualTo("secret: '***' more");
    }

    @Test
    void leave_lines_of_json_that_are_json_afterwards() {
        assertThat(LiveSecrets.hide("{\"m\":\"password=\",\"t\":\"x\"}"))
                .isEqualTo("{\"m\":\"password=\",\"t\":\"x\"}");
        assertThat(LiveSecrets.hide("{\"m\":\"password=\"}")).isEqualTo("{\"m\":\"password=\"}");
        assertThat(LiveSecrets.hide("{\"m\":\"password=abc\"}")).isEqualTo("{\"m\":\"password=***\"}");
        assertThat(LiveSecrets.hide("{\"m\":\"password=\\\"two words\\\" ok\",\"t\":\"x\"}"))
                .isEqualTo("{\"m\":\"password=\\\"***\\\" ok\",\"t\":\"x\"}");
        assertThat(LiveSecrets.hide("{\"m\":\"password=\\\"abc\",\"t\":\"a \\\"b\\\"\"}"))
                .isEqualTo("{\"m\":\"password=\\\"***\",\"t\":\"a \\\"b\\\"\"}");
        assertThat(LiveSecrets.hide("{\"password\":\"a\\\"b c\",\"t\":\"x\"}"))
                .isEqualTo("{\"password\":\"***\",\"t\":\"x\"}");
    }

    @Test
    void leave_the_log_while_a_run_has_them() {
        Object run = new Object();
        LiveSecrets.remember(run, secrets);
        assertThat(LiveSecrets.hide("it is hunter2-\"x\"")).isEqualTo("it is ***");
        LiveSecrets.forget(run);
        assertThat(LiveSecrets.hide("it is hunter2-\"x\"")).isEqualTo("it is hunter2-\"x\"");
    }
}
