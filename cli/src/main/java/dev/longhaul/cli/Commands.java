package dev.longhaul.cli;

import dev.longhaul.cli.client.RestCommand;
import dev.longhaul.cli.client.Screen;
import dev.longhaul.cli.client.access.KeyCommands;
import dev.longhaul.cli.client.completion.Candidates;
import dev.longhaul.cli.client.completion.Completion;
import dev.longhaul.cli.client.database.Export;
import dev.longhaul.cli.client.database.Import;
import dev.longhaul.cli.client.doctor.Doctor;
import dev.longhaul.cli.client.intake.IntakeCommands;
import dev.longhaul.cli.client.job.JobCommands;
import dev.longhaul.cli.client.schedule.ScheduleCommands;
import dev.longhaul.cli.client.server.ServerCommands;
import dev.longhaul.cli.client.webhook.WebhookCommands;
import dev.longhaul.cli.launch.Launch;
import dev.longhaul.cli.launch.RunTask;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * Lists the commands. {@link Entry#make} loads the classes of one command only; reading the list loads none.
 *
 * @see Main
 */
final class Commands {
    private Commands() {}

    /** The name of a command, and the function that creates it. */
    record Entry(String name, Function<Screen, CommandLine> make) {
        private static Entry of(String name, Function<Screen, Object> make) {
            return new Entry(name, screen -> new CommandLine(make.apply(screen)));
        }
    }

    static Stream<Entry> all() {
        return Stream.<Supplier<Stream<Entry>>>of(
                        () -> Stream.of(
                                new Entry("dev", screen -> Launch.dev(screen.out())),
                                new Entry("server", screen -> Launch.server(screen.out())),
                                new Entry("worker", screen -> Launch.worker(screen.out()))),
                        () -> entries(JobCommands.all()),
                        () -> entries(ServerCommands.queues()),
                        () -> Stream.of(
                                new Entry("schedules", screen -> ScheduleCommands.group(screen)),
                                new Entry("webhooks", screen -> WebhookCommands.group(screen))),
                        () -> entries(ServerCommands.server()),
                        () -> Stream.of(
                                new Entry("keys", screen -> KeyCommands.group(screen)),
                                new Entry("intake", screen -> IntakeCommands.group(screen)),
                                Entry.of("export", screen -> new Export(screen)),
                                Entry.of("import", screen -> new Import(screen)),
                                Entry.of("doctor", screen -> new Doctor(screen)),
                                Entry.of("completion", screen -> new Completion(screen)),
                                Entry.of("complete", screen -> new Candidates(screen, () -> Main.commandLine(screen))),
                                Entry.of("warm-up", screen -> new WarmUp()),
                                Entry.of("run-task", screen -> new RunTask()),
                                Entry.of("bench", screen -> new Bench()),
                                Entry.of("migrate", screen -> new Migrate(screen.out())),
                                Entry.of("version", screen -> new Version(screen.out()))))
                .flatMap(Supplier::get);
    }

    private static Stream<Entry> entries(List<RestCommand> commands) {
        return commands.stream().map(command -> new Entry(command.name(), command::on));
    }
}
