package dev.longhaul.contract.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.access.AccessStore;
import dev.longhaul.access.Actor;
import dev.longhaul.access.ApiKey;
import dev.longhaul.access.AuditEntry;
import dev.longhaul.access.Rights;
import dev.longhaul.access.Role;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Tests API keys, sessions and the audit trail. */
public abstract class AccessContract extends StoreContract {
    private static final Duration LIFE = Duration.ofHours(12);
    private static final Actor ANNA = new Actor("anna", new UUID(7, 7));

    private AccessStore access() {
        return store().access();
    }

    private static byte[] hash(int secret) {
        byte[] hash = new byte[32];
        Arrays.fill(hash, (byte) secret);
        return hash;
    }

    private ApiKey key(String name, int secret) {
        return access().add(newId().value(), name, Rights.of(Role.OPERATOR), hash(secret), "anna");
    }

    @Nested
    class Keys {
        @Test
        void are_none_in_an_empty_store() {
            assertThat(access().anyKey()).isFalse();
            assertThat(access().keys()).isEmpty();
            assertThat(access().byHash(hash(1))).isEmpty();
        }

        @Test
        void are_found_by_their_secret() {
            Instant before = now();
            UUID id = newId().value();
            ApiKey key = access().add(id, "ci", Rights.of(Role.SUBMITTER), hash(1), "anna");

            assertThat(key)
                    .isEqualTo(new ApiKey(id, "ci", Rights.of(Role.SUBMITTER), key.createdAt(), "anna", null, null));
            assertThat(key.createdAt()).isBetween(before, now());
            assertThat(anotherStore().access().byHash(hash(1))).contains(key);
            assertThat(access().byHash(hash(2))).isEmpty();
            assertThat(access().byHash(new byte[0])).isEmpty();
            assertThat(access().anyKey()).isTrue();
        }

        @Test
        void are_found_by_several_secrets_at_once() {
            ApiKey one = key("one", 1);
            ApiKey two = key("two", 2);
            access().revoke(key("gone", 3).id(), "anna");
            access().openSession(hash(8), two.id(), LIFE);

            assertThat(access().byHashes(List.of(hash(2), hash(9), hash(1), hash(3), hash(2))))
                    .containsExactly(
                            Optional.of(two), Optional.empty(), Optional.of(one), Optional.empty(), Optional.of(two));
            assertThat(access().byHashes(List.of())).isEmpty();
            assertThat(access().bySessions(List.of(hash(1), hash(8))))
                    .containsExactly(Optional.empty(), Optional.of(two));
        }

        @Test
        void keep_every_role() {
            int secret = 0;
            for (Role role : Role.values()) {
                access().add(newId().value(), role.text(), Rights.of(role), hash(++secret), null);
                assertThat(access().byHash(hash(secret)).orElseThrow().role()).isEqualTo(role);
            }
        }

        @Test
        void keep_the_queues_that_they_are_bound_to() {
            var rights = new Rights(Role.WORKER, List.of("video", "audio", "video"));
            UUID id = newId().value();
            access().add(id, "far", rights, hash(1), null);
            access().openSession(hash(9), id, LIFE);
            access().used(id);

            assertThat(rights.queues()).containsExactly("audio", "video");
            assertThat(anotherStore().access().byHash(hash(1)).orElseThrow().rights())
                    .isEqualTo(rights);
            assertThat(access().bySession(hash(9)).orElseThrow().rights()).isEqualTo(rights);
            assertThat(access().keys()).extracting(ApiKey::rights).containsExactly(rights);
            assertThat(access().revoke(id, "anna").orElseThrow().rights()).isEqualTo(rights);
        }

        @Test
        void are_added_once() {
            UUID id = newId().value();
            ApiKey first = access().add(id, "ci", Rights.of(Role.VIEWER), hash(1), null);

            assertThat(access().add(id, "other", Rights.of(Role.ADMIN), hash(2), null))
                    .isEqualTo(first);
            assertThat(access().keys()).containsExactly(first);
        }

        @Test
        void have_unique_secrets() {
            key("ci", 1);
            assertRefused(ErrorCode.INVALID_ARGUMENT, () -> key("other", 1));
            assertThat(access().keys()).hasSize(1);
        }

        @Test
        void have_names_that_follow_the_rule_and_hashes_of_32_bytes() {
            LonghaulException refusal = assertRefused(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> access().add(newId().value(), "no spaces", Rights.of(Role.VIEWER), new byte[31], null));
            assertThat(refusal.errors()).extracting(FieldError::field).containsExactlyInAnyOrder("name", "hash");
        }

        @Test
        void come_newest_first() {
            key("a", 1);
            advance(SECOND);
            key("b", 2);
            advance(SECOND);
            key("c", 3);

            assertThat(access().keys()).extracting(ApiKey::name).containsExactly("c", "b", "a");
        }

        @Test
        void are_rejected_once_revoked() {
            ApiKey key = key("ci", 1);
            Instant before = now();
            ApiKey revoked = access().revoke(key.id(), "anna").orElseThrow();

            assertThat(revoked.revoked()).isTrue();
            assertThat(revoked.revokedAt()).isBetween(before, now());
            assertThat(access().byHash(hash(1))).isEmpty();
            assertThat(access().anyKey()).as("keys are still required").isTrue();
            assertThat(access().keys()).containsExactly(revoked);
        }

        @Test
        void keep_their_first_revocation() {
            ApiKey key = key("ci", 1);
            ApiKey revoked = access().revoke(key.id(), "anna").orElseThrow();
            advance(HOUR);

            assertThat(access().revoke(key.id(), "ben")).contains(revoked);
            assertThat(access().revoke(newId().value(), "ben")).isEmpty();
        }

        @Test
        void report_roughly_when_they_were_used() {
            ApiKey key = key("ci", 1);
            Instant before = now();
            access().used(key.id());
            access().used(newId().value());
            assertThat(access().byHash(hash(1)).orElseThrow().lastUsedAt()).isBetween(before, now());

            advance(HOUR);
            access().used(key.id());
            assertThat(access().byHash(hash(1)).orElseThrow().lastUsedAt()).isBetween(before.plus(HOUR), now());
        }
    }

    @Nested
    class Sessions {
        @Test
        void have_the_key_they_were_opened_with() {
            ApiKey key = key("ci", 1);
            access().openSession(hash(9), key.id(), LIFE);

            assertThat(anotherStore().access().bySession(hash(9))).contains(key);
            assertThat(access().bySession(hash(1))).isEmpty();
            assertThat(access().byHash(hash(9))).isEmpty();
        }

        @Test
        void expire_after_their_lifetime() {
            access().openSession(hash(9), key("ci", 1).id(), LIFE);
            advance(LIFE.minus(HOUR));
            assertThat(access().bySession(hash(9))).isPresent();
            advance(HOUR);
            assertThat(access().bySession(hash(9))).isEmpty();
            access().openSession(hash(9), access().keys().get(0).id(), LIFE);
            assertThat(access().bySession(hash(9))).isPresent();
        }

        @Test
        void end_when_they_are_closed() {
            access().openSession(hash(9), key("ci", 1).id(), LIFE);
            access().closeSession(hash(9));
            access().closeSession(hash(9));

            assertThat(access().bySession(hash(9))).isEmpty();
        }

        @Test
        void end_with_their_key() {
            ApiKey key = key("ci", 1);
            ApiKey other = key("other", 2);
            access().openSession(hash(8), other.id(), LIFE);
            access().openSession(hash(9), key.id(), LIFE);
            access().revoke(key.id(), "anna");

            assertThat(access().bySession(hash(9))).isEmpty();
            assertThat(access().bySession(hash(8))).contains(other);
        }

        @Test
        void need_a_valid_key() {
            ApiKey key = key("ci", 1);
            access().revoke(key.id(), "anna");

            assertRefused(ErrorCode.NOT_FOUND, () -> access().openSession(hash(9), key.id(), LIFE));
            assertRefused(ErrorCode.NOT_FOUND, () -> access().openSession(hash(9), newId().value(), LIFE));
            assertRefused(ErrorCode.INVALID_ARGUMENT, () -> access().openSession(hash(9), key.id(), Duration.ZERO));
        }
    }

    @Nested
    class Audit {
        @Test
        void lists_the_newest_first() {
            Instant before = now();
            access().record(ANNA, "job.cancel", "job-1", "{\"reason\":\"late\"}");
            access().record(Actor.named("ben"), "queue.pause", "slow", null);

            List<AuditEntry> trail = anotherStore().access().audit(null, 10);
            assertThat(trail).extracting(AuditEntry::action).containsExactly("queue.pause", "job.cancel");
            AuditEntry first = trail.get(1);
            assertThat(first)
                    .isEqualTo(new AuditEntry(
                            first.id(),
                            first.at(),
                            "anna",
                            ANNA.keyId(),
                            "job.cancel",
                            "job-1",
                            "{\"reason\":\"late\"}"));
            assertThat(first.at()).isBetween(before, now());
        }

        @Test
        void comes_in_pages() {
            for (int i = 0; i < 5; i++) {
                access().record(ANNA, "a" + i, "x", null);
            }
            List<AuditEntry> first = access().audit(null, 2);
            List<AuditEntry> second = access().audit(first.get(1).id(), 2);
            List<AuditEntry> third = access().audit(second.get(1).id(), 2);

            assertThat(first).extracting(AuditEntry::action).containsExactly("a4", "a3");
            assertThat(second).extracting(AuditEntry::action).containsExactly("a2", "a1");
            assertThat(third).extracting(AuditEntry::action).containsExactly("a0");
            assertThat(access().audit(third.get(0).id(), 2)).isEmpty();
        }

        @Test
        void keeps_any_text() {
            access().record(Actor.named("an\u0000na"), "x".repeat(1000), "s\ud83d", "\"" + "x".repeat(100_000) + "\"");

            AuditEntry entry = access().audit(null, 1).get(0);
            assertThat(entry.actor()).isEqualTo("an\ufffdna");
            assertThat(entry.action()).hasSizeLessThan(1000);
            assertThat(entry.subject()).isEqualTo("s\ufffd");
            assertThat(entry.detail()).isEqualTo("\"too long to keep\"");
        }

        @Test
        void has_pages_of_at_most_500() {
            assertRefused(ErrorCode.INVALID_ARGUMENT, () -> access().audit(null, 0));
            assertRefused(ErrorCode.INVALID_ARGUMENT, () -> access().audit(null, 501));
        }
    }
}
