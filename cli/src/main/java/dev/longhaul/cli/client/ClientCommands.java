package dev.longhaul.cli.client;

import picocli.CommandLine;

/** The list of all commands that talk to a server or open its database. */
public final class ClientCommands {
    private ClientCommands() {}

    /** Adds them to the program's own. */
    public static CommandLine addTo(CommandLine longhaul, Screen screen) {
        return longhaul.addSubcommand(new Submit(screen))
                .addSubcommand(new Get(screen))
                .addSubcommand(new ListJobs(screen))
                .addSubcommand(new Watch(screen))
                .addSubcommand(new Logs(screen))
                .addSubcommand(new RecentFailures(screen))
                .addSubcommand(new Cancel(screen))
                .addSubcommand(new Retry(screen))
                .addSubcommand(new Hold(screen))
                .addSubcommand(new Release(screen))
                .addSubcommand(new RunNow(screen))
                .addSubcommand(new Queues(screen))
                .addSubcommand(new Pause(screen))
                .addSubcommand(new Resume(screen))
                .addSubcommand(ScheduleCommands.group(screen))
                .addSubcommand(WebhookCommands.group(screen))
                .addSubcommand(new Workers(screen))
                .addSubcommand(new Tick(screen))
                .addSubcommand(new LogLevelCommand(screen))
                .addSubcommand(KeyCommands.group(screen))
                .addSubcommand(new Export(screen))
                .addSubcommand(new Import(screen))
                .addSubcommand(new Doctor(screen))
                .addSubcommand(new Completion(screen));
    }
}
