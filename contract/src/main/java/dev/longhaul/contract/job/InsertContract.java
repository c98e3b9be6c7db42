package dev.longhaul.contract.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobQuery;
import dev.longhaul.contract.Race;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventType;
import dev.longhaul.internal.text.Uuid7;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Limits;
import dev.longhaul.job.Progress;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.ScheduleFire;
import dev.longhaul.job.Tally;
import dev.longhaul.spi.Inserted;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

public abstract class InsertContract extends StoreContract {
    @Test
    void stores_all_fields_of_the_spec() {
        Instant fireAt = now().truncatedTo(ChronoUnit.SECONDS);
        JobSpec spec = aJob(new DefinitionRef("report", 7))
                .params("{\"big\": 9007199254740993, \"text\": \"Grüße 👋\"}")
                .queue("slow")
                .priority(-3)
                .maxAttempts(5)
                .timeout(Duration.ofMinutes(2))
                .name("Monthly report")
                .correlationId("order-42")
                .labels(Map.of("tenant", "acme", "month", "May, \"2026\""))
                .createdBy("anna")
                .schedule(new ScheduleFire("monthly", fireAt))
                .traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                .build();

        Job job = insert(spec).job();

        JobSpec asked = spec.toBuilder().runTime(RunAt.at(job.times().runAt())).build();
        assertThat(job.spec()).isEqualTo(asked);
        assertThat(look(spec.id())).isEqualTo(job);
        assertThat(anotherStore().jobs().find(spec.id())).contains(job);
    }

    @Test
    void starts_without_runs_failures_or_results() {
        Instant before = now();
        Job job = insert(aJob());

        assertThat(job.status()).isEqualTo(JobStatus.QUEUED);
        assertThat(job.state()).isEqualTo(JobState.WAITING);
        assertThat(job.tally()).isEqualTo(Tally.NONE);
        assertThat(job.progress()).isEqualTo(Progress.NONE);
        assertThat(job.lease()).isNull();
        assertThat(job.cancelRequest()).isNull();
        assertThat(job.failure()).isNull();
        assertThat(job.result()).isNull();
        assertThat(job.times().createdAt()).isBetween(before, now());
        assertThat(job.times().runAt()).isBetween(before, now());
        assertThat(job.times().startedAt()).isNull();
        assertThat(job.times().finishedAt()).isNull();
        assertThat(store().jobs().runs(job.id())).isEmpty();
        assertThat(store().work().steps(job.id())).isEmpty();
        assertThat(story(job.id())).containsExactly(EventType.CREATED);
    }

    @Test
    void returns_jobs_in_the_order_of_the_specs() {
        var specs = new ArrayList<JobSpec>();
        for (int i = 0; i < 300; i++) {
            specs.add(aJob().build());
        }
        Collections.shuffle(specs);

        List<Inserted> inserted = store().jobs().insert(specs);

        assertThat(inserted).allMatch(Inserted::isNew);
        assertThat(inserted.stream().map(each -> each.job().id()))
                .containsExactlyElementsOf(specs.stream().map(JobSpec::id).toList());
    }

    @Test
    void of_nothing_returns_nothing() {
        assertThat(store().jobs().insert(List.of())).isEmpty();
    }

    @Test
    void accepts_the_largest_params() {
        String params = "\"" + "x".repeat(Limits.JSON_BYTES - 2) + "\"";
        Job job = insert(aJob().params(params));

        assertThat(look(job.id()).spec().params()).isEqualTo(params);
    }

    @Test
    void resolves_a_delay_by_its_own_clock() {
        Instant before = now();
        Job job = insert(aJob().runTime(RunAt.after(HOUR)));

        assertThat(job.status()).isEqualTo(JobStatus.SCHEDULED);
        assertThat(job.times().runAt()).isBetween(before.plus(HOUR), now().plus(HOUR));
    }

    @Test
    void treats_a_past_run_time_as_now() {
        Instant before = now();
        Job job = insert(aJob().runTime(RunAt.at(before.minus(HOUR))));

        assertThat(job.status()).isEqualTo(JobStatus.QUEUED);
        assertThat(job.times().runAt()).isBetween(before, now());
    }

    @Test
    void keeps_run_times_to_the_microsecond() {
        Instant second = now().plus(HOUR).truncatedTo(ChronoUnit.SECONDS);
        Job job = insert(aJob().runTime(RunAt.at(second.plusNanos(123_456_999))));

        assertThat(job.times().runAt()).isEqualTo(second.plusNanos(123_456_000));
    }

    @Test
    void shows_a_scheduled_job_as_queued_once_it_is_due() {
        Job job = insert(aJob().runTime(RunAt.after(HOUR)));
        advance(HOUR.plus(SECOND));

        assertThat(look(job.id()).status()).isEqualTo(JobStatus.QUEUED);
    }

    @Test
    void holds_a_job_on_request() {
        Job job = insert(aJob().hold(true).runTime(RunAt.after(HOUR)));

        assertThat(job.status()).isEqualTo(JobStatus.CREATED);
        assertThat(job.times().runAt()).isAfter(now());
        assertThat(claim(1)).isEmpty();
    }

    @Test
    void finds_no_job_that_was_never_stored() {
        assertThat(store().jobs().find(newId())).isEmpty();
        assertThat(store().jobs().runs(newId())).isEmpty();
        assertThat(store().work().steps(newId())).isEmpty();
        assertThat(events(newId())).isEmpty();
    }

    // Ids

    @Test
    void of_an_existing_id_returns_its_job() {
        JobSpec spec = aJob().name("first").build();
        Job first = insert(spec).job();
        Inserted again = insert(spec.toBuilder().name("second").build());

        assertThat(again).isEqualTo(new Inserted(first, false));
        assertThat(story(first.id())).containsExactly(EventType.CREATED);
    }

    @Test
    void of_the_id_of_a_finished_job_returns_that_job() {
        JobSpec spec = aJob().build();
        insert(spec);
        win(Transition.succeed(claimNext().claim(), "{}"));

        Inserted again = insert(spec);

        assertThat(again.isNew()).isFalse();
        assertThat(again.job().state()).isEqualTo(JobState.SUCCEEDED);
        assertThat(claim(1)).isEmpty();
    }

    @Test
    void of_the_same_id_twice_in_a_batch_creates_one_job() {
        JobSpec spec = aJob().build();
        List<Inserted> inserted = store().jobs().insert(List.of(spec, spec));

        assertThat(inserted).extracting(Inserted::isNew).containsExactly(true, false);
        assertThat(inserted.get(1).job()).isEqualTo(inserted.get(0).job());
        assertThat(claim(10)).hasSize(1);
    }

    @Test
    void rejects_ids_whose_time_is_far_from_the_clock() {
        refusesIdMadeAt(now().plus(Limits.CLOCK_SKEW).plus(HOUR));
        refusesIdMadeAt(now().minus(Limits.CLOCK_SKEW).minus(HOUR));
    }

    private void refusesIdMadeAt(Instant madeAt) {
        var id = new JobId(new Uuid7(madeAt::toEpochMilli).next());
        JobSpec odd = aJob().id(id).build();
        JobSpec fine = aJob().build();

        LonghaulException refusal =
                assertRefused(ErrorCode.INVALID_ARGUMENT, () -> store().jobs().insert(List.of(fine, odd)));

        assertThat(refusal.errors()).extracting("field").containsExactly("jobId");
        assertThat(store().jobs().find(odd.id())).isEmpty();
        assertThat(store().jobs().find(fine.id())).isEmpty();
    }

    @Test
    void accepts_ids_whose_time_is_close_to_the_clock() {
        Instant yesterday = now().minus(Limits.CLOCK_SKEW).plus(HOUR);
        Instant tomorrow = now().plus(Limits.CLOCK_SKEW).minus(HOUR);

        insert(aJob().id(new JobId(new Uuid7(yesterday::toEpochMilli).next())));
        insert(aJob().id(new JobId(new Uuid7(tomorrow::toEpochMilli).next())));

        assertThat(claim(10)).hasSize(2);
    }

    // Idempotency keys

    @Test
    void of_a_known_idempotency_key_returns_the_first_job_unchanged() {
        Job first = insert(aJob().idempotencyKey("k").params("{\"n\":1}"));
        Inserted second = insert(aJob(new DefinitionRef("report", 2))
                .idempotencyKey("k")
                .params("{\"n\":2}")
                .queue("other")
                .build());

        assertThat(second).isEqualTo(new Inserted(first, false));
        assertThat(store().jobs().list(JobQuery.ALL).jobs()).containsExactly(first);
    }

    @Test
    void of_a_finished_jobs_idempotency_key_returns_that_job() {
        Job first = insert(aJob().idempotencyKey("k"));
        win(Transition.fail(claimNext().claim(), BOOM));

        Inserted second = insert(aJob().idempotencyKey("k").build());

        assertThat(second).isEqualTo(new Inserted(look(first.id()), false));
        assertThat(second.job().state()).isEqualTo(JobState.FAILED);
    }

    @Test
    void of_one_idempotency_key_twice_in_a_batch_creates_one_job() {
        JobSpec first = aJob().idempotencyKey("k").build();
        JobSpec between = aJob().build();
        JobSpec second = aJob().idempotencyKey("k").build();

        List<Inserted> inserted = store().jobs().insert(List.of(first, between, second));

        assertThat(inserted).extracting(Inserted::isNew).containsExactly(true, true, false);
        assertThat(inserted.get(2).job()).isEqualTo(inserted.get(0).job());
        assertThat(inserted.get(0).job().id()).isEqualTo(first.id());
        assertThat(store().jobs().find(second.id())).isEmpty();
    }

    @Test
    void lets_other_definitions_use_the_same_idempotency_key() {
        insert(aJob(REPORT).idempotencyKey("k"));
        insert(aJob(IMPORT).idempotencyKey("k"));

        assertThat(claim(10)).hasSize(2);
    }

    @Test
    void creates_one_job_from_64_concurrent_duplicates() {
        List<JobSpec> duplicates = specs(64, "k");

        List<Inserted> inserted = Race.of(
                64, i -> storeOf(i).jobs().insert(List.of(duplicates.get(i))).get(0));

        assertThat(inserted).filteredOn(Inserted::isNew).hasSize(1);
        assertThat(inserted.stream().map(each -> each.job().id()).distinct()).hasSize(1);
        assertThat(store().jobs().list(JobQuery.ALL).jobs()).hasSize(1);
    }

    @Test
    void creates_each_job_once_when_batches_of_the_same_keys_race_in_different_orders() {
        List<List<Inserted>> inserted = Race.of(8, i -> {
            var batch = new ArrayList<JobSpec>();
            for (int key = 0; key < 20; key++) {
                batch.addAll(specs(1, "k" + key));
            }
            Collections.shuffle(batch);
            return storeOf(i).jobs().insert(batch);
        });

        assertThat(inserted.stream().flatMap(List::stream).filter(Inserted::isNew))
                .hasSize(20);
        assertThat(store().jobs().list(JobQuery.ALL).jobs()).hasSize(20);
    }

    @Test
    void creates_one_job_from_concurrent_inserts_of_one_spec() {
        JobSpec spec = aJob().build();

        List<Inserted> inserted =
                Race.of(16, i -> storeOf(i).jobs().insert(List.of(spec)).get(0));

        assertThat(inserted).filteredOn(Inserted::isNew).hasSize(1);
        assertThat(claim(10)).hasSize(1);
    }

    @Test
    void returns_the_first_job_even_if_it_is_sent_again_days_later() {
        JobSpec waiting = aJob().hold(true).build();
        insert(waiting);
        JobId done = succeeded();
        advance(Duration.ofDays(3));

        assertThat(insert(waiting).isNew()).isFalse();
        assertThat(insert(aJob().id(done).build()).isNew()).isFalse();
    }

    @Test
    void creates_jobs_that_are_found_by_their_idempotency_keys() {
        Job job = insert(aJob().idempotencyKey("order-1"));
        insert(aJob(IMPORT).idempotencyKey("order-1"));
        insert(aJob());

        assertThat(store().jobs().find("report", null, "order-1")).contains(look(job.id()));
        assertThat(store().jobs().find("report", 1, "order-1")).contains(look(job.id()));
        assertThat(store().jobs().find("report", 2, "order-1")).isEmpty();
        assertThat(store().jobs().find("report", null, "order-2")).isEmpty();
        assertThat(store().jobs().find("unknown", null, "order-1")).isEmpty();
        cancel(job.id());
        assertThat(store().jobs().find("report", null, "order-1")).contains(look(job.id()));
    }

    @Test
    void of_an_idempotency_key_with_a_chosen_version_creates_one_job_per_version() {
        JobId first = insert(keyed(1, false)).job().id();

        Inserted second = insert(keyed(2, true));

        assertThat(second.isNew()).isTrue();
        assertThat(insert(keyed(1, true)).job().id()).isEqualTo(first);
        assertThat(insert(keyed(2, true)).job().id()).isEqualTo(second.job().id());
        assertThat(insert(keyed(2, false)).job().id()).isEqualTo(first);
        assertThat(insert(keyed(3, false)).job().id()).isEqualTo(first);
        assertThat(store().jobs().find("report", null, "k")).contains(look(first));
        assertThat(store().jobs().find("report", 2, "k"))
                .contains(look(second.job().id()));
        assertThat(store().jobs().list(JobQuery.ALL).jobs()).hasSize(2);
    }

    @Test
    void of_an_idempotency_key_with_chosen_versions_in_one_batch_creates_one_job_per_version() {
        List<JobSpec> batch = List.of(
                keyed(2, true), keyed(1, true), keyed(1, false), keyed(2, true), keyed(1, true), keyed(3, false));

        List<Inserted> inserted = store().jobs().insert(batch);

        assertThat(inserted).extracting(Inserted::isNew).containsExactly(true, true, false, false, false, false);
        assertThat(inserted.stream().map(one -> one.job().spec().definition().version()))
                .containsExactly(2, 1, 2, 2, 1, 2);
        assertThat(store().jobs().list(JobQuery.ALL).jobs()).hasSize(2);
    }

    @Test
    void of_an_idempotency_key_finds_the_job_of_a_version_when_the_first_is_gone() {
        JobId first = insert(keyed(1, true)).job().id();
        JobId second = insert(keyed(2, true)).job().id();
        cancel(first);
        advance(Duration.ofDays(9));
        retain(Duration.ofDays(7));
        assertThat(store().jobs().find(first)).isEmpty();

        assertThat(insert(keyed(2, true)).job().id()).isEqualTo(second);
        assertThat(insert(keyed(3, false)).job().id()).isEqualTo(second);
        assertThat(insert(keyed(1, true)).isNew()).isTrue();
    }

    @Test
    void of_an_idempotency_key_with_and_without_a_version_creates_one_job_per_version_in_any_order() {
        for (int round = 0; round < 5; round++) {
            String key = "race " + round;
            List<Inserted> inserted = Race.of(
                    32,
                    i -> storeOf(i)
                            .jobs()
                            .insert(List.of(keyed(key, 1 + i % 2, i % 4 < 2)))
                            .get(0));

            List<JobId> omitted = ids(inserted, i -> i % 4 >= 2);
            assertThat(inserted).filteredOn(Inserted::isNew).hasSize(2);
            assertThat(ids(inserted, i -> i % 4 == 0)).hasSize(1);
            assertThat(ids(inserted, i -> i % 4 == 1)).hasSize(1);
            assertThat(omitted).hasSize(1);
            assertThat(ids(inserted, i -> i % 4 < 2)).hasSize(2).containsAll(omitted);
        }
    }

    private static List<JobId> ids(List<Inserted> inserted, IntPredicate which) {
        return IntStream.range(0, inserted.size())
                .filter(which)
                .mapToObj(i -> inserted.get(i).job().id())
                .distinct()
                .toList();
    }

    private JobSpec keyed(int version, boolean chosen) {
        return keyed("k", version, chosen);
    }

    private JobSpec keyed(String key, int version, boolean chosen) {
        return aJob(new DefinitionRef("report", version))
                .idempotencyKey(key)
                .keyOfVersion(chosen)
                .build();
    }

    // Specs that were never sent before

    @Test
    void accepts_fresh_jobs_from_several_callers() {
        List<JobSpec> anonymous = List.of(aJob().build(), aJob().params("[1]").build());
        List<JobSpec> annas = List.of(
                aJob().createdBy("anna").build(),
                aJob().createdBy("anna").params("[2]").build());
        List<JobSpec> mixed = List.of(
                aJob().createdBy("anna").build(), aJob().createdBy("ben").build(), aJob().build());
        for (List<JobSpec> specs : List.of(anonymous, annas, mixed)) {
            List<Inserted> inserted = insertFresh(specs);
            for (int i = 0; i < specs.size(); i++) {
                JobSpec spec = specs.get(i);
                Job job = look(spec.id());
                assertThat(inserted.get(i)).isEqualTo(new Inserted(job, true));
                assertThat(job.spec())
                        .isEqualTo(spec.toBuilder()
                                .runTime(RunAt.at(job.times().runAt()))
                                .build());
            }
        }
        assertThat(claim(10)).hasSize(7);
    }

    @Test
    void accepts_fresh_jobs_of_every_kind() {
        List<JobSpec> specs = List.of(
                aJob().name("one").labels(Map.of("a", "b")).build(),
                aJob(IMPORT).idempotencyKey("k").correlationId("c").build(),
                aJob().hold(true).queue("slow").build());
        assertThat(insertFresh(specs)).allMatch(Inserted::isNew);
        assertThat(insertFresh(List.of(aJob(IMPORT).idempotencyKey("k").build())))
                .noneMatch(Inserted::isNew);
        assertThat(insertFresh(List.of())).isEmpty();
        store().queues().maxDepth("full", 0);
        assertRefused(
                ErrorCode.RESOURCE_EXHAUSTED,
                () -> insertFresh(List.of(aJob().queue("full").build())));
    }

    private List<JobSpec> specs(int count, String idempotencyKey) {
        var specs = new ArrayList<JobSpec>();
        for (int i = 0; i < count; i++) {
            specs.add(aJob().idempotencyKey(idempotencyKey).build());
        }
        return specs;
    }
}
