package dev.longhaul.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
    void are_not_searched_for_when_they_are_short() {
        assertThat(secrets.hide("a short word")).isEqualTo("a short word");
        assertThat(Secrets.of(List.of("", "a")).any()).isFalse();
    }

    /** The encodings that programs apply to a value before they print it. */
    @ParameterizedTest
    @ValueSource(strings = {"hunter2", "hünter2/ x+y?&=", "-----BEGIN KEY-----\nMIIEvQ+/abc==\n"})
    void are_found_in_every_usual_encoding(String value) {
        var one = Secrets.of(List.of(value));
        String bare = value.strip();
        byte[] bytes = bare.getBytes(UTF_8);
        String hex = HexFormat.of().formatHex(bytes);
        for (String encoded : List.of(
                bare.toUpperCase(Locale.ROOT),
                bare.toLowerCase(Locale.ROOT),
                hex,
                hex.toUpperCase(Locale.ROOT),
                URLEncoder.encode(bare, UTF_8),
                URLEncoder.encode(bare, UTF_8).replace("+", "%20"))) {
            assertThat(one.hide("see " + encoded + ".")).isEqualTo("see ***.");
            assertThat(one.hideJson(Json.write(Map.of("see", encoded)))).isEqualTo("{\"see\":\"***\"}");
        }
    }

    /** As in {@code user:password}, where a name of any length precedes the value and other text follows it. */
    @ParameterizedTest
    @ValueSource(strings = {"", "u", "us", "use", "user:"})
    void are_found_in_base64_wherever_they_begin(String before) {
        String value = "hunter2-é-value";
        for (String after : List.of("", "!", "!!", "!!!")) {
            byte[] bytes = (before + value + after).getBytes(UTF_8);
            String plain = Base64.getEncoder().encodeToString(bytes);
            String hidden = Secrets.of(List.of(value)).hide("Basic " + plain);
            assertThat(hidden).startsWith("Basic ").contains("***");
            // The remaining text has too few bits of the value to reveal it.
            assertThat(hidden.length()).isLessThanOrEqualTo("Basic ".length() + 3 + 12);
            assertThat(Secrets.of(List.of(value)).hide(Base64.getUrlEncoder().encodeToString(bytes)))
                    .contains("***");
        }
    }

    @Test
    void keep_their_given_values_when_more_are_added() {
        var one = Secrets.of(List.of("hunter2/x"));
        assertThat(one.hide("hunter2/x")).isEqualTo("***");
        assertThat(one.values()).containsExactly("hunter2/x");
        assertThat(Secrets.of(one.values()).forms()).isEqualTo(one.forms()).hasSizeLessThan(20);
    }

    @Test
    void are_searched_for_in_a_bounded_number_of_forms() {
        var many = IntStream.range(0, 2000).mapToObj(i -> "secret-number-" + i).toList();
        assertThat(Secrets.of(many).forms()).hasSizeLessThan(3000);
        assertThat(Secrets.of(many).hide("secret-number-1999")).isEqualTo("***");
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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{authorization=[Bearer eyJabc]} ok | {authorization=[***]} ok",
                "Authorization: token ghp_x | Authorization: ***",
                "Authorization: ApiKey x | Authorization: ***",
                "Proxy-Authorization: Negotiate x== ok | Proxy-Authorization: *** ok",
                "password='correct horse battery' ok | password='***' ok",
                "password=ab;cdefgh ok | password=*** ok",
                "password=ab)cdefgh ok | password=*** ok",
                "f(password=abc); {user=a, token=abc, x=1} | f(password=***); {user=a, token=***, x=1}",
                "postgres://u:p@ss@h/db | postgres://u:***@h/db",
                "postgres://u:pa/ss@h:5432/db | postgres://u:***@h:5432/db",
                "http://localhost:8080/to/a@b ok | http://localhost:8080/to/a@b ok",
            })
    void leave_the_log_however_they_are_written(String line, String hidden) {
        assertThat(LiveSecrets.hide(line)).isEqualTo(hidden);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'m':'{authorization=[Bearer eyJabc]}','t':'x'} | {'m':'{authorization=[***]}','t':'x'}",
                "{'authorization':['Bearer eyJabc'],'t':'x'} | {'authorization':['***'],'t':'x'}",
                "{'m':'Authorization: token ghp_x','t':'x'} | {'m':'Authorization: ***','t':'x'}",
                "{'m':'password=ab)c;d','t':'x'} | {'m':'password=***','t':'x'}",
                "{'m':'password=~two words~','t':'x ~'} | {'m':'password=~***~','t':'x ~'}",
                "{'m':'password=~abc','t':'x ~'} | {'m':'password=~***','t':'x ~'}",
                "{'m':'see http://','t':'a:b@c'} | {'m':'see http://','t':'a:b@c'}",
                "{'m':'postgres://u:p@ss@h','t':'a@b'} | {'m':'postgres://u:***@h','t':'a@b'}",
            })
    void leave_json_that_is_json_afterwards_however_they_are_written(String line, String hidden) {
        assertThat(LiveSecrets.hide(quoted(line))).isEqualTo(quoted(hidden));
    }

    /** Easier to read with the quotes of JSON as {@code '} and those in its texts as {@code ~}. */
    private static String quoted(String line) {
        return line.replace('\'', '"').replace('~', '\'');
    }

    @Test
    @Timeout(10)
    void leave_long_lines_in_good_time() {
        for (String part : List.of("://a:", "password", "password=", "authorization: a ", "token=',)", "secret=\"\\")) {
            assertThat(LiveSecrets.hide(part.repeat(20_000))).isNotEmpty();
        }
    }

    @Test
    void are_found_in_json_that_others_have_written() {
        var umlaut = Secrets.of(List.of("hünter2/x"));
        assertThat(umlaut.hideJson("{\"m\":\"h\\u00fcnter2\\/x\",\"n\":1.50}")).isEqualTo("{\"m\":\"***\",\"n\":1.50}");
        assertThat(umlaut.hideJson("{\"m\":\"\\u0041\",  \"n\":1.50}")).isEqualTo("{\"m\":\"\\u0041\",  \"n\":1.50}");
        assertThat(umlaut.hide("body: {\"m\":\"h\\u00fcnter2/x\"}")).isEqualTo("body: {\"m\":\"***\"}");
    }

    @Test
    void are_found_in_bytes_that_are_no_text() {
        var one = Secrets.of(List.of("hünter2"));
        assertThat(one.hideJson("{\"stream\":\"stdout\",\"base64\":\"" + base64("\0hünter2\0") + "\"}"))
                .isEqualTo("{\"stream\":\"stdout\",\"base64\":\"" + base64("\0***\0") + "\"}");
        assertThat(one.hideJson("{\"base64\":\"no base64\"}")).isEqualTo("{\"base64\":\"no base64\"}");
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
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
