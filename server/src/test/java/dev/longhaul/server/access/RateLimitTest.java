package dev.longhaul.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.Longhaul;
import dev.longhaul.access.AccessStore;
import dev.longhaul.access.ApiKey;
import dev.longhaul.access.Role;
import dev.longhaul.api.http.Recent;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.server.Api;
import dev.longhaul.server.Counting;
import dev.longhaul.server.Doors;
import dev.longhaul.server.LonghaulServer;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RateLimitTest {
    private static final RequestRates.Rate ENOUGH = new RequestRates.Rate(100_000, 100_000);
    /** One a second, so that even on a slow machine the third request comes before the next token. */
    private static final RequestRates.Rate FEW = new RequestRates.Rate(1, 2);

    private final Longhaul longhaul = Longhaul.builder().memory().start();

    @AfterEach
    void close() {
        longhaul.close();
    }

    private LonghaulServer server(RequestRates rates) {
        return LonghaulServer.start(longhaul, Doors.AT_ONCE.withRates(rates));
    }

    private Api.Reply firstRefused(Api api, String path) {
        for (int i = 0; i < 1000; i++) {
            Api.Reply reply = api.get(path);
            if (reply.status() == 429) {
                return reply;
            }
        }
        throw new AssertionError("a thousand requests went through");
    }

    @Test
    void a_key_over_its_rate_gets_the_time_of_its_next_request() {
        String secret =
                Keys.create(longhaul.store().access(), "a", Role.VIEWER, "test").secret();
        String other =
                Keys.create(longhaul.store().access(), "b", Role.VIEWER, "test").secret();
        try (var server = server(new RequestRates(FEW, ENOUGH, ENOUGH))) {
            Api api = new Api(server.port()).withKey(secret);
            Api.Reply first = api.get("/v1/stats");
            assertThat(first.status()).isEqualTo(200);
            assertThat(first.header("ratelimit-policy")).isEqualTo("\"key\";q=2;w=2");
            assertThat(first.header("ratelimit")).isEqualTo("\"key\";r=1;t=1");
            Api.Reply refused = firstRefused(api, "/v1/stats");
            assertThat(refused.json().get("code").asText()).isEqualTo("resource_exhausted");
            assertThat(refused.header("ratelimit")).isEqualTo("\"key\";r=0;t=1");
            assertThat(refused.header("retry-after")).isEqualTo("1");
            assertThat(refused.response().headers().allValues("retry-after")).hasSize(1);
            assertThat(new Api(server.port()).withKey(other).get("/v1/stats").status())
                    .isEqualTo(200);
        }
    }

    @Test
    void guessing_keys_is_limited_and_valid_keys_are_still_served() {
        String secret =
                Keys.create(longhaul.store().access(), "a", Role.VIEWER, "test").secret();
        try (var server = server(new RequestRates(ENOUGH, ENOUGH, FEW))) {
            Api anonymous = new Api(server.port());
            Api known = anonymous.withKey(secret);
            assertThat(known.get("/v1/stats").status()).isEqualTo(200);
            Api.Reply refused = firstRefused(anonymous.withKey("lh_guess"), "/v1/stats");
            assertThat(refused.header("ratelimit-policy")).startsWith("\"failures\"");
            // Longer than keys are cached.
            long end = System.nanoTime() + Duration.ofMillis(2500).toNanos();
            do {
                firstRefused(anonymous.withKey("lh_guess"), "/v1/stats");
                assertThat(known.get("/v1/stats").status()).isEqualTo(200);
            } while (System.nanoTime() < end);
        }
    }

    /** Behind NAT or an undeclared proxy, all clients share an address. */
    @Test
    void guesses_do_not_shut_out_valid_keys_that_the_server_has_not_seen() throws Exception {
        var secrets = IntStream.range(0, 40)
                .mapToObj(i -> Keys.create(longhaul.store().access(), "k" + i, Role.VIEWER, "test")
                        .secret())
                .toList();
        try (var server = server(new RequestRates(ENOUGH, ENOUGH, FEW))) {
            Api anonymous = new Api(server.port());
            var over = new AtomicBoolean();
            var guesses = new AtomicInteger();
            var limited = new CountDownLatch(1);
            Thread guessing = new Thread(() -> {
                while (!over.get()) {
                    int status = anonymous
                            .withKey("lh_guess" + guesses.incrementAndGet())
                            .get("/v1/stats")
                            .status();
                    if (status == 429) {
                        limited.countDown();
                    }
                }
            });
            guessing.start();
            try {
                assertThat(limited.await(20, TimeUnit.SECONDS)).isTrue();
                for (String secret : secrets) {
                    Api known = anonymous.withKey(secret);
                    assertThat(known.get("/v1/stats").status()).isEqualTo(200);
                    assertThat(anonymous
                                    .post("/v1/session", "{\"key\":\"" + secret + "\"}")
                                    .status())
                            .isEqualTo(200);
                }
            } finally {
                over.set(true);
                guessing.join();
            }
        }
    }

    @Test
    void guesses_at_once_share_one_look_up() throws Exception {
        AccessStore real = longhaul.store().access();
        String secret = Keys.create(real, "a", Role.VIEWER, "test").secret();
        var running = new Semaphore(0);
        var mayGoOn = new CountDownLatch(1);
        var lookUps = new AtomicInteger();
        var slow = (AccessStore) Proxy.newProxyInstance(
                AccessStore.class.getClassLoader(), new Class<?>[] {AccessStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("byHashes")) {
                        lookUps.incrementAndGet();
                        running.release();
                        mayGoOn.await();
                    }
                    return method.invoke(real, arguments);
                });
        var keys = new KnownKeys(slow);
        var found = new ConcurrentHashMap<Integer, Optional<ApiKey>>();
        var threads = IntStream.range(0, 60)
                .mapToObj(i ->
                        new Thread(() -> found.put(i, keys.byHash(Token.hash(i == 50 ? secret : "lh_guess" + i)))))
                .toList();
        threads.get(0).start();
        running.acquire();
        threads.subList(1, threads.size()).forEach(Thread::start);
        Counting.await(
                "all wait for the first look-up",
                () -> threads.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
        mayGoOn.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(lookUps).hasValue(2);
        assertThat(found).hasSize(60);
        found.forEach((i, key) -> assertThat(key.isPresent()).isEqualTo(i == 50));
    }

    @Test
    void a_rate_of_0_is_unlimited_and_sets_no_headers() {
        String secret =
                Keys.create(longhaul.store().access(), "a", Role.VIEWER, "test").secret();
        var unlimited = RequestRates.Rate.UNLIMITED;
        try (var server = server(new RequestRates(unlimited, unlimited, FEW))) {
            Api anonymous = new Api(server.port());
            Api known = anonymous.withKey(secret);
            assertThat(known.get("/v1/stats").header("ratelimit-policy")).isEmpty();
            assertThat(IntStream.range(0, 50).map(i -> known.get("/v1/stats").status()))
                    .containsOnly(200);
            assertThat(IntStream.range(0, 50).map(i -> anonymous.get("/healthz").status()))
                    .containsOnly(200);
        }
    }

    @Test
    void guessing_at_the_login_is_limited_too() {
        Keys.create(longhaul.store().access(), "a", Role.VIEWER, "test");
        try (var server = server(new RequestRates(ENOUGH, ENOUGH, FEW))) {
            Api anonymous = new Api(server.port());
            assertThat(IntStream.range(0, 1000)
                            .map(i -> anonymous
                                    .post("/v1/session", "{\"key\":\"lh_guess\"}")
                                    .status())
                            .filter(status -> status == 429)
                            .findFirst())
                    .isPresent();
        }
    }

    @Test
    void a_right_key_is_no_failed_attempt() {
        try (var server = server(new RequestRates(ENOUGH, ENOUGH, FEW))) {
            for (int i = 0; i < 20; i++) {
                String secret = Keys.create(longhaul.store().access(), "k" + i, Role.VIEWER, "test")
                        .secret();
                assertThat(new Api(server.port())
                                .withKey(secret)
                                .get("/v1/stats")
                                .status())
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void an_address_without_a_key_is_limited_also_where_there_is_nothing() {
        Keys.create(longhaul.store().access(), "a", Role.VIEWER, "test");
        try (var server = server(new RequestRates(ENOUGH, FEW, ENOUGH))) {
            Api anonymous = new Api(server.port());
            assertThat(firstRefused(anonymous, "/v1/stats").header("ratelimit-policy"))
                    .startsWith("\"address\"");
            assertThat(firstRefused(anonymous, "/nothing").status()).isEqualTo(429);
            assertThat(firstRefused(anonymous, "/healthz").status()).isEqualTo(429);
        }
    }

    @Test
    void local_callers_are_not_limited_while_no_key_exists() {
        try (var server = server(new RequestRates(FEW, FEW, FEW))) {
            Api api = new Api(server.port());
            assertThat(IntStream.range(0, 20).map(i -> api.get("/v1/stats").status()))
                    .containsOnly(200);
        }
    }

    @Test
    void only_so_many_callers_are_remembered() {
        var recent = new Recent<Integer, Integer>(3);
        for (int i = 0; i < 10; i++) {
            int value = i;
            recent.computeIfAbsent(i, () -> value);
            recent.get(0);
        }
        assertThat(recent.size()).isEqualTo(3);
        assertThat(recent.get(0)).isEqualTo(0);
        assertThat(recent.get(1)).isNull();
    }

    @Test
    void invalid_rates_are_refused() {
        assertThatThrownBy(() -> new RequestRates.Rate(-1, 0))
                .isInstanceOf(LonghaulException.class)
                .hasMessageContaining("perSecond: -1 (expected: >= 0)");
        assertThatThrownBy(() -> new RequestRates(ENOUGH, ENOUGH, RequestRates.Rate.UNLIMITED))
                .hasMessageContaining("failures: 0 (expected: >= 1)");
        assertThatThrownBy(() -> new RequestRates.Rate(5, 4)).hasMessageContaining("burst: 4");
    }
}
