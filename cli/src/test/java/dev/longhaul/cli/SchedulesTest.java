package dev.longhaul.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.NewSchedule;
import dev.longhaul.job.JobStatus;
import dev.longhaul.schedule.CatchUp;
import dev.longhaul.schedule.Schedule;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SchedulesTest {
    private static final String HELLO = "--params={\"text\":\"hello\",\"number\":9007199254740993}";

    private final ServerFixture server = new ServerFixture();

    @AfterEach
    void close() {
        server.close();
    }

    private ServerFixture.Done schedules(String... arguments) {
        var all = new String[arguments.length + 1];
        all[0] = "schedules";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return server.run(all);
    }

    private Schedule stored(String key) {
        return server.longhaul().schedules().get(key);
    }

    @Test
    void creates_with_every_option_and_prints_the_next_fire_time() {
        var done = schedules(
                        "create",
                        "nightly",
                        "test.echo@1",
                        HELLO,
                        "--cron=0 3 * * *",
                        "--zone=Europe/Berlin",
                        "--dst=skip",
                        "--name=Nightly",
                        "--queue=slow",
                        "--priority=7",
                        "--attempts=4",
                        "--label=team=a",
                        "--end=2190-05-01T06:00:00Z",
                        "--max-runs=9",
                        "--jitter=2m",
                        "--catch-up=all",
                        "--catch-up-max=7",
                        "--catch-up-window=2h",
                        "--overlap=queue_one")
                .exitsWith(0);
        assertThat(done.lines().get(1))
                .matches(
                        "nightly +At 03:00 every day, Europe/Berlin +in [0-9 hmins]+ \\((Mon|Tue|Wed|Thu|Fri|Sat|Sun) 03:00 Europe/Berlin\\) +- +0 +test.echo@1");
        Schedule schedule = stored("nightly");
        assertThat(schedule.spec().job().params()).contains("9007199254740993");
        assertThat(schedule.spec().job().maxAttempts()).isEqualTo(4);
        assertThat(schedule.spec().timetable().maxRuns()).isEqualTo(9);
        assertThat(schedule.spec().timetable().jitter()).hasMinutes(2);
        assertThat(schedule.spec().catchUp()).isEqualTo(new CatchUp(CatchUp.Policy.ALL, 7, Duration.ofHours(2)));
        assertThat(schedule.spec().overlap().wireName()).isEqualTo("queue_one");
    }

    @Test
    void reports_invalid_options_and_stores_nothing() {
        var done = schedules("create", "a", "test.echo", HELLO, "--cron=0 25 * * *", "--zone=Mars/Base")
                .exitsWith(2);
        assertThat(done.err()).contains("hour: 25 (expected: 0-23)").contains("timeZone: Mars/Base");
        assertThat(schedules("list").lines()).hasSize(1);
    }

    @Test
    void edits_pauses_resumes_and_deletes() {
        schedules("create", "a", "test.echo", HELLO, "--every=2h").exitsWith(0);
        assertThat(schedules("edit", "a", "--cron=@daily", "--priority=3")
                        .exitsWith(0)
                        .out())
                .contains("At 00:00 every day");
        assertThat(stored("a").spec().job().priority()).isEqualTo(3);
        assertThat(schedules("pause", "a", "--note=quarter end").exitsWith(0).out())
                .contains("paused by local: quarter end");
        assertThat(schedules("list").out()).contains("paused by local: quarter end");
        assertThat(schedules("resume", "a").exitsWith(0).out()).contains("00:00 UTC)");
        assertThat(schedules("delete", "a").exitsWith(0).out()).isEqualTo("a deleted\n");
        schedules("delete", "a").exitsWith(4);
    }

    @Test
    void removes_limits() {
        schedules("create", "a", "test.echo", HELLO, "--every=2h", "--end=2190-05-01T06:00:00Z", "--max-runs=9")
                .exitsWith(0);
        schedules("edit", "a", "--end=none", "--max-runs=none").exitsWith(0);
        assertThat(stored("a").spec().timetable().end()).isNull();
        assertThat(stored("a").spec().timetable().maxRuns()).isNull();
        assertThat(schedules("edit", "a", "--max-runs=few").exitsWith(2).err()).contains("--max-runs: few");
    }

    @Test
    void a_paused_schedule_stays_paused_when_code_registers_it_again() {
        schedules("create", "a", "test.echo", HELLO, "--every=2h").exitsWith(0);
        schedules("pause", "a", "--note=quarter end").exitsWith(0);
        server.longhaul()
                .schedules()
                .upsert(NewSchedule.of(stored("a").spec()).untimed().cron("0 4 * * *"));
        assertThat(schedules("list").out()).contains("At 04:00 every day", "paused by local: quarter end");
    }

    @Test
    void triggers_backfills_and_shows_the_fires() {
        schedules("create", "a", "test.echo", HELLO, "--cron=0 3 * * *", "--paused")
                .exitsWith(0);
        String job = schedules("trigger", "a").exitsWith(0).out().strip();
        server.awaitStatus(job, JobStatus.SUCCEEDED);
        var backfilled = schedules("backfill", "a", "--from=2020-01-01T00:00:00Z", "--to=2020-01-03T00:00:00Z")
                .exitsWith(0);
        assertThat(backfilled.lines()).hasSize(3);
        assertThat(backfilled.lines().get(1)).startsWith("2020-01-01T03:00:00Z  backfilled");
        assertThat(schedules("jobs", "a").lines().get(1)).contains(job, "triggered", "succeeded");
        var shown = schedules("show", "a").exitsWith(0);
        assertThat(shown.lines()).anyMatch(line -> line.matches("cron +0 3 \\* \\* \\*"));
        assertThat(shown.out()).contains("FIRES AT", "FIRED FOR", job);
    }

    @Test
    void previews_stored_and_unstored_schedules() {
        schedules("create", "a", "test.echo", HELLO, "--every=2h", "--start=2100-01-01T00:00:00Z")
                .exitsWith(0);
        assertThat(schedules("preview", "a", "--count=2").exitsWith(0).lines().get(3))
                .startsWith("2100-01-01T02:00:00Z  in ")
                .endsWith("(Fri 2100-01-01 02:00 UTC)");
        var unstored = schedules("preview", "--cron=0 9 * * MON", "--zone=Asia/Kathmandu", "--count=1")
                .exitsWith(0);
        assertThat(unstored.lines().get(0)).isEqualTo("At 09:00 every Monday");
        assertThat(unstored.lines().get(2)).contains("Mon ", "09:00 Asia/Kathmandu)");
        schedules("preview").exitsWith(2);
        schedules("preview", "a", "--cron=@daily").exitsWith(2);
        schedules("preview", "a", "--zone=Asia/Kathmandu").exitsWith(2);
    }

    @Test
    void warns_about_schedules_whose_jobs_no_active_worker_runs() {
        schedules("create", "far", "test.echo", HELLO, "--every=2h", "--queue=elsewhere")
                .exitsWith(0);
        Waits.until(
                () -> schedules("list").out().contains("serves the queue"),
                () -> schedules("list").out());
        assertThat(schedules("list").lines())
                .contains("WARN far: No worker that runs test.echo@1 serves the queue elsewhere.");
        assertThat(schedules("show", "far").out())
                .contains("No worker that runs test.echo@1 serves the queue elsewhere.");
    }

    @Test
    void prints_the_servers_json() {
        schedules("create", "a", "test.echo", HELLO, "--every=2h").exitsWith(0);
        assertThat(schedules("list", "--json")
                        .json()
                        .get("schedules")
                        .get(0)
                        .get("everySeconds")
                        .asInt())
                .isEqualTo(7200);
        assertThat(schedules("show", "a", "--json").json().get("nextFires")).hasSize(10);
    }
}
