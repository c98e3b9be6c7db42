package dev.longhaul.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.Longhaul;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.testing.TestPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Hostile requests get the right status and store nothing. Sent over raw sockets, because clients would refuse to send
 * them.
 */
@Isolated // Measures the memory of the process.
class HostileInputTest {
    private static final int PATIENCE_MILLIS = 20_000;
    private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: *(\\d+)");
    private static final long MUCH_MEMORY = 64 << 20;

    // Not in memory: accepted input must reach a real database.
    private static HikariDataSource pool;
    private static Doors doors;

    @BeforeAll
    static void open() {
        pool = TestPostgres.pool(TestPostgres.get().newDatabase(PostgresStore::migrate), 10);
        doors = new Doors(Longhaul.builder().postgres(pool));
    }

    @AfterAll
    static void close() {
        doors.close();
        pool.close();
    }

    /** A body, each byte as a character, and the expected status. */
    record Hostile(String what, String latin1, int status) {
        byte[] body() {
            return latin1.getBytes(ISO_8859_1);
        }

        @Override
        public String toString() {
            return what;
        }
    }

    static Stream<Hostile> bodies() {
        String start = "{\"definitionKey\":\"test.wait\",\"params\":";
        return Stream.of(
                hostile("deep lists", start + "[".repeat(100_000) + "]".repeat(100_000) + "}", 400),
                hostile("deep objects", start + "{\"a\":".repeat(5_000) + "1" + "}".repeat(5_000) + "}", 400),
                hostile("deep, not closed", "[".repeat(500_000), 400),
                hostile("a number of 900,000 digits", start + "9".repeat(900_000) + "}", 400),
                hostile("a number of 10 MB", start + "9".repeat(10_000_000) + "}", 413),
                hostile(
                        "a priority of 900,000 digits",
                        "{\"definitionKey\":\"test.wait\",\"priority\":1" + "0".repeat(900_000) + "}",
                        400),
                hostile("an exponent", "{\"definitionKey\":\"test.wait\",\"priority\":1e999999999}", 400),
                hostile("the same key twice", "{\"definitionKey\":\"test.wait\",\"definitionKey\":\"test.echo\"}", 400),
                hostile("the same key twice, deep inside", start + "{\"a\":[{\"b\":1,\"b\":2}]}}", 400),
                hostile("params over the limit", start + "{\"a\":\"" + "x".repeat(300_000) + "\"}}", 413),
                hostile("a NUL in a name", "{\"definitionKey\":\"test.wait\",\"name\":\"a\\u0000b\"}", 400),
                hostile("a NUL in a key", "{\"definitionKey\":\"test.wait\",\"idempotencyKey\":\"a\\u0000b\"}", 400),
                hostile("a NUL beside a key", "{\"definitionKey\":\"\\u0000\",\"idempotencyKey\":\"a\"}", 400),
                hostile("half a surrogate pair", "{\"definitionKey\":\"test.wait\",\"name\":\"\\ud800\"}", 400),
                hostile("a comment", "{/* */\"definitionKey\":\"test.wait\"}", 400),
                hostile("two objects", "{\"definitionKey\":\"test.wait\"}{}", 400),
                hostile("single quotes", "{'definitionKey':'test.wait'}", 400),
                hostile("not a number", start + "NaN}", 400),
                hostile("nothing", "", 415),
                hostile("a list", "[]", 400),
                hostile("no JSON", "definitionKey=test.wait", 400),
                new Hostile("bytes that are not UTF-8", start + "\u00C3(", 400),
                new Hostile("UTF-16", new String(start.getBytes(UTF_16), ISO_8859_1), 400),
                new Hostile("an overlong slash", "{\"definitionKey\":\"test.wait\",\"name\":\"\u00C0\u00AF", 400),
                hostile("SQL", "{\"definitionKey\":\"x'; drop table longhaul.live_job; --\"}", 400));
    }

    private static Hostile hostile(String what, String body, int status) {
        return new Hostile(what, new String(body.getBytes(UTF_8), ISO_8859_1), status);
    }

    @AfterEach
    void nothing_is_stored() {
        assertThat(doors.api.get("/v1/jobs").json().get("jobs")).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void a_body_gets_the_right_status(Hostile hostile) {
        String type = hostile.body().length == 0 ? "" : "Content-Type: application/json\r\n";
        String answer = send("POST /v1/jobs HTTP/1.1\r\n" + type, hostile.body());
        assertThat(answer).startsWith("HTTP/1.1 " + hostile.status() + " ");
        assertThat(answer).contains("application/problem+json").doesNotContain("\tat ", "Exception");
        if (hostile.status() == 413) {
            assertThat(answer).contains("expected: ");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/jobs/../../etc/passwd",
                "/v1/jobs/..%2F..%2Fetc%2Fpasswd",
                "/v1/jobs/%2e%2e/%2e%2e/etc",
                "/v1/jobs/%00",
                "/v1/jobs/a%00b",
                "/v1/jobs/%ff%fe",
                "/v1/jobs/%zz",
                "/v1//jobs/x",
                "/v1/jobs/01a1e2a1-b640-7000-9352-abfc7fb895b5%20or%201=1",
                "/docs/..%2f..%2fapplication.properties",
                "/V1/jobs",
                "/v1/Jobs",
                "/v1/jobs/"
            })
    void a_path_finds_nothing(String path) {
        assertThat(send("GET " + path + " HTTP/1.1\r\n", new byte[0])).containsPattern("^HTTP/1.1 40[04] ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "status",
                "definitionKey",
                "queue",
                "name",
                "label.a",
                "correlationId",
                "createdBy",
                "createdAfter",
                "createdBefore",
                "order",
                "limit",
                "cursor",
                "view",
                "nonsense"
            })
    void sql_in_a_parameter_finds_nothing(String parameter) {
        for (String value : List.of(
                "'%20or%20'1'='1",
                "1;drop%20table%20longhaul.live_job",
                "%00",
                "%25'%20--",
                "0000-01-01T00:00:00Z",
                "%2B999999999-01-01T00:00:00Z")) {
            String answer = send("GET /v1/jobs?" + parameter + "=" + value + " HTTP/1.1\r\n", new byte[0]);
            assertThat(answer).as(value).containsPattern("^HTTP/1.1 (400 |200 [\\s\\S]*\"jobs\":\\[\\])");
        }
    }

    @Test
    void another_host_is_not_served() {
        String answer = raw("GET /v1/jobs HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n", new byte[0]);
        assertThat(answer).containsPattern("^HTTP/1.1 4(00|21) ");
    }

    @Test
    void a_form_of_another_site_is_not_taken() {
        String head = "POST /v1/jobs HTTP/1.1\r\nOrigin: https://evil.test\r\nContent-Type: application/";
        String form = send(head + "x-www-form-urlencoded\r\n", "definitionKey=test.wait".getBytes(UTF_8));
        assertThat(form).containsPattern("^HTTP/1.1 4(03|15) ");
        String json = send(head + "json\r\n", "{\"definitionKey\":\"test.wait\"}".getBytes(UTF_8));
        assertThat(json).startsWith("HTTP/1.1 403 ");
    }

    @Test
    void memory_stays_flat() {
        List<Hostile> all = bodies().toList();
        all.forEach(this::a_body_gets_the_right_status);
        long before = used();
        for (int round = 0; round < 5; round++) {
            all.forEach(this::a_body_gets_the_right_status);
        }
        assertThat(used() - before).isLessThan(MUCH_MEMORY);
    }

    private static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private String send(String head, byte[] body) {
        return raw(
                head + "Host: 127.0.0.1:" + doors.port() + "\r\nConnection: close\r\nContent-Length: " + body.length
                        + "\r\n\r\n",
                body);
    }

    private String raw(String head, byte[] body) {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), doors.port())) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write(head.getBytes(ISO_8859_1));
            try {
                socket.getOutputStream().write(body);
                socket.getOutputStream().flush();
            } catch (IOException e) {
                // Rejected before the whole body was sent; the response can still be read.
            }
            return answer(socket.getInputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads head and body, not until the end of the stream: a server that rejects a body early may keep the connection
     * open.
     */
    private static String answer(InputStream in) throws IOException {
        var head = new StringBuilder();
        for (int c = in.read(); c >= 0; c = in.read()) {
            head.append((char) c);
            if (head.indexOf("\r\n\r\n", Math.max(0, head.length() - 4)) >= 0) {
                break;
            }
        }
        Matcher length = LENGTH.matcher(head);
        return head + (length.find() ? new String(in.readNBytes(Integer.parseInt(length.group(1))), UTF_8) : "");
    }
}
