package dev.longhaul.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.access.ApiKey;
import dev.longhaul.access.Rights;
import dev.longhaul.access.Role;
import dev.longhaul.error.LonghaulException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LastKnownAccessTest {
    private static final byte[] SECRET = hash(1);
    private static final byte[] SESSION = hash(2);

    private final Deferring it = new Deferring();
    private final AtomicLong nanos = new AtomicLong();
    private final LastKnownAccess access =
            new LastKnownAccess(it.failing.access(), nanos::get, new Outage("keys are accepted", nanos::get));
    private final ApiKey key = access.add(UUID.randomUUID(), "a", Rights.of(Role.VIEWER), SECRET, null);

    @AfterEach
    void close() {
        it.close();
    }

    private static byte[] hash(int number) {
        var hash = new byte[32];
        hash[0] = (byte) number;
        return hash;
    }

    private void seen() {
        access.openSession(SESSION, key.id(), Duration.ofHours(5));
        assertThat(access.byHash(SECRET)).isPresent();
        assertThat(access.bySession(SESSION)).isPresent();
        assertThat(access.anyKey()).isTrue();
    }

    private void assertUnavailable(Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOf(LonghaulException.class)
                .hasMessageContaining("database unavailable");
    }

    @Test
    void finds_what_it_has_seen_during_an_outage() {
        seen();
        it.storeIsAvailable(false);

        assertThat(access.byHash(SECRET)).map(ApiKey::id).contains(key.id());
        assertThat(access.byHashes(List.of(SECRET)).get(0)).map(ApiKey::id).contains(key.id());
        assertThat(access.bySession(SESSION)).map(ApiKey::id).contains(key.id());
        assertThat(access.bySessions(List.of(SESSION)).get(0)).map(ApiKey::id).contains(key.id());
        assertThat(access.anyKey()).isTrue();
        assertUnavailable(() -> access.byHash(hash(3)));
        assertUnavailable(() -> access.bySession(SECRET));
    }

    @Test
    void forgets_after_an_hour() {
        seen();
        it.storeIsAvailable(false);
        nanos.addAndGet(LastKnownAccess.STALE.plusSeconds(1).toNanos());

        assertUnavailable(() -> access.byHash(SECRET));
        assertUnavailable(() -> access.bySession(SESSION));
        assertUnavailable(access::anyKey);
    }

    @Test
    void does_not_find_a_key_that_was_revoked_here() {
        seen();
        access.revoke(key.id(), "anna");
        it.storeIsAvailable(false);
        assertUnavailable(() -> access.byHash(SECRET));
        assertUnavailable(() -> access.bySession(SESSION));
    }

    @Test
    void does_not_find_a_key_that_it_has_seen_revoked_on_another_server() {
        seen();
        it.store.access().revoke(key.id(), "anna");
        assertThat(access.byHash(SECRET)).isEmpty();
        it.storeIsAvailable(false);

        assertUnavailable(() -> access.byHash(SECRET));
    }

    @Test
    void reads_the_store_again_after_an_outage() {
        seen();
        it.storeIsAvailable(false);
        assertThat(access.byHash(SECRET)).isPresent();
        it.store.access().revoke(key.id(), "anna");
        it.storeIsAvailable(true);
        assertThat(access.byHash(SECRET)).as("not tried again yet").isPresent();
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());

        assertThat(access.byHash(SECRET)).isEmpty();
    }
}
