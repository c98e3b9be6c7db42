package dev.longhaul.cli.client.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.cli.client.Api;
import dev.longhaul.cli.client.Span;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/** Whether the server is there, ready, in time, and takes the key. */
final class ServerChecks {
    /** Headers tell whole seconds. */
    private static final Duration CLOSE_ENOUGH = Duration.ofSeconds(2);

    private final Api api;
    private final Findings findings;

    ServerChecks(Api api, Findings findings) {
        this.api = api;
        this.findings = findings;
    }

    void run() {
        try {
            Api.Reply reply = api.get("/healthz");
            findings.ok("server", "answers at " + api.base());
            clock(reply.date());
        } catch (LonghaulException e) {
            findings.fail("server", e.getMessage(), "start one, or name another with --url or LONGHAUL_URL");
            return;
        }
        try {
            api.get("/readyz");
            findings.ok("ready", "it reaches its database and takes requests");
        } catch (LonghaulException e) {
            findings.fail("ready", e.getMessage(), "look into the server's log and at its database");
        }
        key();
        if (api.hasKey() && "http".equals(api.base().getScheme()) && !loopback()) {
            findings.warn("tls", "the key goes over the network in the clear", "use an https URL");
        }
    }

    private void clock(@Nullable String date) {
        try {
            Instant there = ZonedDateTime.parse(date == null ? "" : date, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
            Duration apart = Duration.between(there, Instant.now()).abs();
            findings.prefer(
                    apart.compareTo(CLOSE_ENOUGH) <= 0,
                    "clock",
                    "this machine and the server are " + Span.about(apart) + " apart",
                    "run a time service (NTP) on both");
        } catch (DateTimeParseException e) {
            findings.skip("clock", "the server does not tell its time");
        }
    }

    private void key() {
        try {
            JsonNode caller = api.get("/v1/session").json();
            findings.ok(
                    "key",
                    (api.hasKey() ? "valid" : "none needed") + ": "
                            + caller.path("name").asText() + ", role "
                            + caller.path("role").asText());
        } catch (LonghaulException e) {
            if (e.code() == ErrorCode.PERMISSION_DENIED) {
                findings.ok("key", "valid, but may not read: " + e.getMessage());
            } else if (e.code() == ErrorCode.UNAUTHENTICATED) {
                findings.fail(
                        "key",
                        api.hasKey() ? "not accepted" : "the server wants one",
                        "put one that longhaul keys create made into LONGHAUL_KEY or a --key-file");
            } else {
                findings.fail("key", e.getMessage(), "is that a Longhaul server?");
            }
        }
    }

    private boolean loopback() {
        try {
            return InetAddress.getByName(api.base().getHost()).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
