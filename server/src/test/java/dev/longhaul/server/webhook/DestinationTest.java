package dev.longhaul.server.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.job.WebhookSecret;
import dev.longhaul.server.outbound.AddressRules;
import dev.longhaul.server.outbound.Destination;
import dev.longhaul.server.outbound.Destination.RefusedException;
import dev.longhaul.server.tracing.Tracing;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DeliveryTry;
import dev.longhaul.webhook.DueDelivery;
import dev.longhaul.webhook.JobSummary;
import dev.longhaul.webhook.SendingRules;
import dev.longhaul.webhook.WebhookSpec;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DestinationTest {
    private static final AddressRules PUBLIC_ONLY = new AddressRules(List.of(), "webhook-networks");
    private static final WebhookConfig STRICT =
            new WebhookConfig(List.of(), 4, Duration.ofSeconds(2), SendingRules.USUAL);

    private static Destination to(String url, String... addresses) throws RefusedException {
        return Destination.of(URI.create(url), host -> parsed(addresses), PUBLIC_ONLY, 1);
    }

    private static InetAddress[] parsed(String... addresses) throws UnknownHostException {
        var all = new InetAddress[addresses.length];
        for (int i = 0; i < addresses.length; i++) {
            all[i] = InetAddress.getByName(addresses[i]);
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.255.255.254",
                "0.0.0.0",
                "10.1.2.3",
                "100.100.100.200",
                "169.254.169.254",
                "172.31.255.255",
                "192.168.0.1",
                "192.0.0.192",
                "198.18.0.1",
                "224.0.0.1",
                "255.255.255.255",
                "168.63.129.16",
                "::",
                "::1",
                "::127.0.0.1",
                "::ffff:127.0.0.1",
                "::ffff:169.254.169.254",
                "64:ff9b::7f00:1",
                "64:ff9b:1::7f00:1",
                "2002:7f00:1::",
                "2001:0:1::1",
                "2001:db8::1",
                "fc00::1",
                "fd00:ec2::254",
                "fe80::1",
                "fec0::1",
                "ff02::1",
                "4000::1"
            })
    void refuses_addresses_that_are_not_public(String address) {
        assertThatThrownBy(() -> to("https://hooks.example.com/", address))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("expected: a public address");
        // Also beside a public address, because any of them may be used.
        assertThatThrownBy(() -> to("https://hooks.example.com/", "93.184.216.34", address))
                .isInstanceOf(RefusedException.class);
    }

    @Test
    void connects_to_the_checked_address_and_keeps_the_name() throws Exception {
        Destination to = to("https://hooks.example.com/in?x=1", "93.184.216.34");

        assertThat(to.endpoint().host()).isEqualTo("hooks.example.com");
        assertThat(to.endpoint().ipAddr()).isEqualTo("93.184.216.34");
        assertThat(to.endpoint().port()).isEqualTo(443);
        assertThat(to.path()).isEqualTo("/in?x=1");
        assertThat(to("https://hooks.example.com:8443", "2606:4700::1").path()).isEqualTo("/");
    }

    @Test
    void connects_to_another_address_at_each_attempt() throws Exception {
        Destination.Resolver two = host -> parsed("93.184.216.34", "93.184.216.35");
        var used = new ArrayList<String>();
        for (int tries = 1; tries <= 3; tries++) {
            Destination to = Destination.of(URI.create("https://hooks.example.com/"), two, PUBLIC_ONLY, tries);
            used.add(to.endpoint().ipAddr());
        }
        assertThat(used).containsExactly("93.184.216.34", "93.184.216.35", "93.184.216.34");
    }

    @Test
    void takes_public_addresses_only_by_tls_and_on_its_ports() {
        assertThatThrownBy(() -> to("http://hooks.example.com/", "93.184.216.34"))
                .hasMessageContaining("expected: https on 443 or 8443");
        assertThatThrownBy(() -> to("https://hooks.example.com:22/", "93.184.216.34"))
                .hasMessageContaining("https on port 22");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://example.com",
                "https://example.com.?x=1",
                "https://a-b.example.com:8443/in%20here?token=a%2Fb&x=?/",
                "https://xn--bcher-kva.example/",
                "https://1.example.com/",
                "http://10.0.0.255:1/",
                "https://[::]/",
                "https://[2606:4700::1]/",
                "https://[1:2:3:4:5:6:7:8]/",
                "https://[1:2:3:4:5:6:1.2.3.4]/",
                "https://[::ffff:127.0.0.1]/"
            })
    void takes_urls_that_can_be_used(String url) {
        var spec = new WebhookSpec(
                url, Set.of(WebhookEvent.JOB_ENDED), Set.of(), Set.of(), Map.of(), List.of(WebhookSecret.random()));
        assertThat(URI.create(spec.url()).getHost()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://2130706433/",
                "https://0x7f000001/",
                "https://0x7f.1/",
                "https://0177.0.0.1/",
                "https://127.1/",
                "https://127.0.0.01/",
                "https://1.2.3.4.0x7f/",
                "https://017700000001/",
                "https://0x7f000001./",
                "https://2130706433./",
                "https://0/",
                "https://127.0.0.1%00.example.com/",
                "https://example.com\\@127.0.0.1/",
                "https://127\u30020\u30020\u30021/",
                "https://\u2460\u2461\u2466.0.0.1/",
                "HTTPS://127.1/",
                "https://user:password@example.com/",
                "https://example.com/#fragment",
                "file:///etc/passwd",
                "gopher://127.0.0.1:6379/",
                "//example.com/",
                "https:///path",
                "https://[fe80::1%25eth0]/",
                "https://[::::]/",
                "https://[1::2::3]/",
                "https://[1:2:3:4:5:6:7]/",
                "https://[1:2:3:4:5:6:7:8::]/",
                "https://[1.2.3.4::]/",
                "https://999.1.1.1/",
                "https://a.1b/",
                "https://example.com/%",
                "https://example.com/%zz?token=abc",
                "https://example..com/",
                "https://-/"
            })
    void refuses_urls_that_deceive(String url) {
        assertThatThrownBy(() -> new WebhookSpec(
                        url,
                        Set.of(WebhookEvent.JOB_ENDED),
                        Set.of(),
                        Set.of(),
                        Map.of(),
                        List.of(WebhookSecret.random())))
                .isInstanceOf(LonghaulException.class)
                .hasMessageContaining("url");
    }

    /** URLs that bypass the check of their form, for example because they were written directly into the store. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "localhost",
                "2130706433",
                "0x7f000001",
                "0177.0.0.1",
                "127.1",
                "[::1]",
                "[::ffff:127.0.0.1]",
                "[::ffff:7f00:1]",
                "[::127.0.0.1]",
                "[64:ff9b::7f00:1]",
                "0",
                "0.0.0.0",
                "127.0.0.1.",
                "localhost.",
                "017700000001",
                "0x7f.0.0.1",
                "127.0.1",
                "[::]",
                "[0:0:0:0:0:ffff:127.0.0.1]",
                "[::ffff:0:7f00:1]",
                "[2002:7f00:1::]",
                "[fe80::1%25lo]"
            })
    void reaches_no_canary_on_loopback(String host) throws Exception {
        var canary = new Canary();
        try (canary;
                DeliveryClient post = new DeliveryClient(STRICT, InetAddress::getAllByName, Tracing.OFF)) {
            for (String scheme : List.of("http", "https")) {
                DeliveryTry tried = post.send(due(scheme + "://" + host + ":" + canary.port() + "/"), Instant.now());
                // Other parsers read 0177 as octal; Java does not, so the address is public, but the port is not
                // allowed.
                assertThat(tried.error())
                        .containsAnyOf(
                                host.equals("0177.0.0.1") ? "expected: https on 443" : "expected: a public address",
                                "expected: a name that resolves",
                                "expected: https://host");
            }
        }
        assertThat(canary.connections).hasValue(0);
    }

    /** Counts connections. */
    private static final class Canary implements AutoCloseable {
        private final AtomicInteger connections = new AtomicInteger();
        private final ServerSocket listening = new ServerSocket(0);
        private final Thread thread = new Thread(this::count);

        Canary() throws IOException {
            thread.start();
        }

        int port() {
            return listening.getLocalPort();
        }

        private void count() {
            try {
                while (true) {
                    listening.accept().close();
                    connections.incrementAndGet();
                }
            } catch (IOException e) {
                // Closed.
            }
        }

        @Override
        public void close() throws IOException {
            listening.close();
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Resolves to a public address first and to loopback later; the name must be resolved only once. */
    @Test
    void reaches_no_canary_by_a_name_that_flips() throws Exception {
        var lookUps = new AtomicInteger();
        Destination.Resolver flipping = host -> parsed(lookUps.getAndIncrement() == 0 ? "93.184.216.34" : "127.0.0.1");
        Destination to = Destination.of(URI.create("https://flips.example.com/"), flipping, PUBLIC_ONLY, 1);

        assertThat(to.endpoint().ipAddr()).isEqualTo("93.184.216.34");
        assertThat(lookUps).hasValue(1);
        assertThatThrownBy(() -> Destination.of(URI.create("https://flips.example.com/"), flipping, PUBLIC_ONLY, 1))
                .isInstanceOf(RefusedException.class);
    }

    /** The name resolves to an allowed receiver when it is checked, and to the canary afterwards. */
    @Test
    void connects_to_the_address_that_the_name_had_when_it_was_checked() throws Exception {
        try (Receiver honest = new Receiver("127.0.0.2", 0);
                Receiver canary = new Receiver("127.0.0.1", honest.port())) {
            var lookUps = new AtomicInteger();
            Destination.Resolver flipping = host -> parsed(lookUps.getAndIncrement() == 0 ? "127.0.0.2" : "127.0.0.1");
            try (DeliveryClient post =
                    new DeliveryClient(STRICT.withNetworks(List.of("127.0.0.2/32")), flipping, Tracing.OFF)) {
                String url = "http://flips.example.com:" + honest.port() + "/in";
                assertThat(post.send(due(url), Instant.now()).succeeded()).isTrue();
                DeliveryTry again = post.send(due(url), Instant.now());
                assertThat(again.error()).contains("resolves to 127.0.0.1");
            }
            assertThat(honest.received()).hasSize(1);
            assertThat(honest.received().get(0).header("host")).startsWith("flips.example.com");
            assertThat(canary.received()).isEmpty();
        }
    }

    @Test
    void waits_no_longer_for_a_name_than_for_a_response() {
        var never = new CountDownLatch(1);
        Destination.Resolver silent = host -> {
            await(never);
            return new InetAddress[0];
        };
        var config = new WebhookConfig(List.of(), 4, Duration.ofMillis(200), SendingRules.USUAL);
        try (DeliveryClient post = new DeliveryClient(config, silent, Tracing.OFF)) {
            DeliveryTry tried = post.send(due("https://hooks.example.com/"), Instant.now());
            assertThat(tried.error())
                    .isEqualTo("host: hooks.example.com (expected: a name that resolves to an address)");
        } finally {
            never.countDown();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {300, 301, 302, 303, 307, 308})
    void follows_no_redirect(int status) {
        try (Receiver receiver = new Receiver("127.0.0.2", 0);
                Receiver canary = new Receiver();
                DeliveryClient post = new DeliveryClient(
                        STRICT.withNetworks(List.of("127.0.0.0/8", "169.254.0.0/16")),
                        InetAddress::getAllByName,
                        Tracing.OFF)) {
            for (String to : List.of(canary.url(), "http://169.254.169.254/latest/meta-data/", "//127.0.0.1/")) {
                receiver.answers(request -> new Receiver.Reply(status, to, ""));
                DeliveryTry tried = post.send(due("http://127.0.0.2:" + receiver.port() + "/in"), Instant.now());
                assertThat(tried.error()).isEqualTo("status: " + status + " (expected: 2xx)");
            }
            assertThat(receiver.received()).hasSize(3);
            assertThat(canary.received()).isEmpty();
        }
    }

    @Test
    void takes_what_the_operator_allows_by_any_means() throws Exception {
        var rules = new AddressRules(List.of("10.1.0.0/16"), "webhook-networks");
        Destination to = Destination.of(URI.create("http://intern:8081/x"), host -> parsed("10.1.2.3"), rules, 1);

        assertThat(to.endpoint().ipAddr()).isEqualTo("10.1.2.3");
        assertThatThrownBy(() -> Destination.of(URI.create("http://intern/"), host -> parsed("10.2.0.1"), rules, 1))
                .isInstanceOf(RefusedException.class);
        assertThatThrownBy(() ->
                        Destination.of(URI.create("http://intern/"), host -> parsed("10.1.2.3", "10.2.0.1"), rules, 1))
                .isInstanceOf(RefusedException.class);
    }

    @Test
    void refuses_a_name_that_does_not_resolve() {
        assertThatThrownBy(() -> Destination.of(
                        URI.create("https://nowhere.example.com/"),
                        host -> {
                            throw new UnknownHostException(host);
                        },
                        PUBLIC_ONLY,
                        1))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("nowhere.example.com");
    }

    private static DueDelivery due(String url) {
        var job = new JobSummary(
                JobId.next(),
                2,
                JobStatus.RUNNING,
                new DefinitionRef("report", 1),
                "default",
                1,
                1,
                null,
                null,
                Map.of(),
                null,
                null,
                null);
        var delivery = new Delivery(
                UUID.randomUUID(),
                UUID.randomUUID(),
                WebhookEvent.JOB_STARTED,
                Instant.now(),
                job,
                null,
                null,
                Delivery.State.PENDING,
                1,
                Instant.now(),
                null);
        return new DueDelivery(delivery, 1, url, List.of(WebhookSecret.random()));
    }

    /** Ignores interrupts, like the system's resolver. */
    private static void await(CountDownLatch latch) {
        boolean done = false;
        while (!done) {
            try {
                latch.await();
                done = true;
            } catch (InterruptedException e) {
                done = latch.getCount() == 0;
            }
        }
    }
}
