package dev.longhaul.cli.client.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.cli.client.Api;
import dev.longhaul.cli.client.DurationOption;
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

/** Checks whether the server responds, is ready, has the right time, and accepts the key. */
final class ServerChecks {
    /** Allowed clock difference, because Date headers have a resolution of one second. */
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
            findings.ok("server", "responds at " + api.base());
            clock(reply.date());
        } catch (LonghaulException e) {
            findings.fail("server", e.getMessage(), "start one, or set another with --url or LONGHAUL_URL");
            return;
        }
        try {
            api.get("/readyz");
            findings.ok("ready", "the server is connected to its database and accepts requests");
        } catch (LonghaulException e) {
            findings.fail("ready", e.getMessage(), "check the server's log and its database");
        }
        key();
        if (api.hasKey() && "http".equals(api.base().getScheme()) && !loopback()) {
            findings.warn("tls", "the key is sent over the network unencrypted", "use an https URL");
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
                    "the clocks of this machine and the server differ by " + DurationOption.about(apart),
                    "run NTP on both");
        } catch (DateTimeParseException e) {
            findings.skip("clock", "not checked; the server sends no Date header");
        }
    }

    private void key() {
        try {
            JsonNode caller = api.get("/v1/session").json();
            findings.ok(
                    "key",
                    (api.hasKey() ? "valid" : "not required") + ": "
                            + caller.path("name").asText() + ", role "
                            + caller.path("role").asText());
        } catch (LonghaulException e) {
            if (e.code() == ErrorCode.PERMISSION_DENIED) {
                findings.ok("key", "valid, but without read permission: " + e.getMessage());
            } else if (e.code() == ErrorCode.UNAUTHENTICATED) {
                findings.fail(
                        "key",
                        api.hasKey() ? "rejected" : "missing; the server requires one",
                        "create one with longhaul keys create, and set LONGHAUL_KEY or --key-file");
            } else {
                findings.fail("key", e.getMessage(), "check that --url is a Longhaul server");
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
