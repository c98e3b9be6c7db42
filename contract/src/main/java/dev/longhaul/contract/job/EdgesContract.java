package dev.longhaul.contract.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.StoreContract;
import dev.longhaul.contract.Whole;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobState.Edge;
import dev.longhaul.job.JobStatus;
import dev.longhaul.work.Transition;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests every transition that the state machine allows, and every transition that it does not allow. */
public abstract class EdgesContract extends StoreContract {
    /**
     * A transition, applied to a job in the transition's first state.
     *
     * @param take applies it, given the claim of the job
     */
    private record Step(Consumer<Claim> take, EventType event) {}

    private Map<Edge, Step> steps() {
        return Map.ofEntries(
                step("created → waiting", claim -> release(claim.jobId(), null), EventType.RELEASED),
                step("created → cancelled", claim -> cancel(claim.jobId()), EventType.CANCELLED),
                step("waiting → created", claim -> hold(claim.jobId(), null), EventType.HELD),
                step("waiting → running", claim -> claimNext(), EventType.STARTED),
                step("waiting → cancelled", claim -> cancel(claim.jobId()), EventType.CANCELLED),
                step("running → waiting", claim -> apply(Transition.giveBack(claim)), EventType.RELEASED),
                step("running → cancelling", claim -> cancel(claim.jobId()), EventType.CANCEL_REQUESTED),
                step("running → succeeded", claim -> apply(Transition.succeed(claim, "{}")), EventType.SUCCEEDED),
                step("running → failed", claim -> apply(Transition.fail(claim, BOOM)), EventType.FAILED),
                step("cancelling → succeeded", claim -> apply(Transition.succeed(claim, "{}")), EventType.SUCCEEDED),
                step("cancelling → cancelled", claim -> apply(Transition.cancelled(claim)), EventType.CANCELLED),
                step("failed → waiting", claim -> retry(claim.jobId(), null), EventType.RETRIED),
                step("cancelled → waiting", claim -> retry(claim.jobId(), null), EventType.RETRIED));
    }

    private static Map.Entry<Edge, Step> step(String edge, Consumer<Claim> take, EventType event) {
        Edge known = JobState.edges().stream()
                .filter(each -> each.toString().equals(edge))
                .findFirst()
                .orElseThrow(() -> new AssertionError(edge + " is not a transition of the state machine"));
        return Map.entry(known, new Step(take, event));
    }

    static List<Edge> edges() {
        return JobState.edges();
    }

    @Test
    void are_all_tested() {
        assertThat(steps().keySet()).isEqualTo(Set.copyOf(JobState.edges()));
    }

    @ParameterizedTest
    @MethodSource("edges")
    void lead_from_state_to_state_with_an_event(Edge edge) {
        Step step = present(steps().get(edge));
        Claim claim = given(edge.from());
        List<EventType> before = story(claim.jobId());
        assertThat(look(claim.jobId()).state()).isEqualTo(edge.from());

        step.take().accept(claim);

        Job job = look(claim.jobId());
        assertThat(job.state()).isEqualTo(edge.to());
        assertThat(story(job.id())).startsWith(before.toArray(EventType[]::new)).hasSize(before.size() + 1);
        assertThat(lastEvent(job.id()).type()).isEqualTo(step.event());
        assertFitsItsState(job);
    }

    @ParameterizedTest
    @EnumSource
    void leave_a_job_that_fits_its_state(JobState state) {
        assertFitsItsState(look(given(state).jobId()));
    }

    private static void assertFitsItsState(Job job) {
        JobState state = job.state();
        assertThat(job.lease() != null).as("has a lease").isEqualTo(state.leased());
        assertThat(job.times().finishedAt() != null).as("has a finish time").isEqualTo(state.terminal());
        assertThat(job.result() != null).as("has a result").isEqualTo(state == JobState.SUCCEEDED);
        assertThat(state != JobState.FAILED || job.failure() != null)
                .as("shows why it failed")
                .isTrue();
        assertThat(state != JobState.CANCELLING || job.cancelRequest() != null)
                .as("shows the cancel")
                .isTrue();
    }

    /**
     * Creates a job in that state and returns its claim. In a state without a claim, returns a claim that is not valid.
     */
    private Claim given(JobState state) {
        return switch (state) {
            case CREATED -> unheld(insert(aJob().hold(true)).id());
            case WAITING -> unheld(insert(aJob()).id());
            case RUNNING -> running();
            case CANCELLING -> cancelling();
            case SUCCEEDED -> unheld(succeeded());
            case FAILED -> unheld(failed());
            case CANCELLED -> unheld(cancelled());
        };
    }

    private static Claim unheld(JobId id) {
        return new Claim(id, 0, Claim.newKey());
    }

    // Transitions that are not allowed

    /** The commands on a job. */
    enum Command {
        HOLD,
        RELEASE,
        EDIT,
        RUN_NOW,
        CANCEL,
        RETRY;

        boolean fits(JobStatus status) {
            return switch (this) {
                case HOLD -> status.state() == JobState.WAITING;
                case RELEASE -> status == JobStatus.CREATED;
                case EDIT -> status == JobStatus.CREATED || status.state() == JobState.WAITING;
                case RUN_NOW -> status == JobStatus.SCHEDULED || status == JobStatus.RETRYING;
                case CANCEL -> status != JobStatus.SUCCEEDED && status != JobStatus.FAILED;
                case RETRY -> status == JobStatus.FAILED || status == JobStatus.CANCELLED;
            };
        }
    }

    static Stream<Arguments> commandsThatFit() {
        return commands(true);
    }

    static Stream<Arguments> commandsThatDoNot() {
        return commands(false);
    }

    private static Stream<Arguments> commands(boolean fitting) {
        return Arrays.stream(Command.values())
                .flatMap(command -> Arrays.stream(JobStatus.values())
                        .filter(status -> command.fits(status) == fitting)
                        .map(status -> Arguments.of(command, status)));
    }

    @ParameterizedTest
    @MethodSource("commandsThatDoNot")
    void are_not_taken_by_commands_that_the_state_forbids(Command command, JobStatus status) {
        JobId id = present(oneOfEach().get(status));
        Whole before = whole(id);
        assertThat(before.job().status()).isEqualTo(status);

        LonghaulException refusal = assertRefused(ErrorCode.FAILED_PRECONDITION, () -> give(command, id));

        assertThat(refusal)
                .hasMessageContaining(id.toString())
                .hasMessageContaining(status == JobStatus.CREATED ? "held" : status.wireName());
        assertThat(whole(id)).isEqualTo(before);
    }

    @ParameterizedTest
    @MethodSource("commandsThatFit")
    void are_taken_by_commands_that_the_state_allows(Command command, JobStatus status) {
        JobId id = present(oneOfEach().get(status));

        assertThat(give(command, id)).isEqualTo(look(id));
    }

    @Test
    void lead_to_a_worker_from_the_queue_only() {
        Map<JobStatus, JobId> jobs = oneOfEach();

        assertThat(idsOf(claim(100))).containsExactly(jobs.get(JobStatus.QUEUED));
    }

    private Job give(Command command, JobId id) {
        return switch (command) {
            case HOLD -> hold(id, null);
            case RELEASE -> release(id, null);
            case EDIT -> edit(id, new JobEdit("edited", null, null, null, null, null), null);
            case RUN_NOW -> runNow(id, null);
            case CANCEL -> cancel(id);
            case RETRY -> retry(id, null);
        };
    }
}
