package dev.longhaul.cli.client;

import picocli.CommandLine;

/** The list of all commands that talk to a server or open its database. */
public final class ClientCommands {
    private ClientCommands() {}

    /** Adds them to the program's own. */
    public static CommandLine addTo(CommandLine longhaul, Screen screen) {
        JobCommands.all().forEach(command -> longhaul.addSubcommand(command.on(screen)));
        ServerCommands.queues().forEach(command -> longhaul.addSubcommand(command.on(screen)));
        longhaul.addSubcommand(ScheduleCommands.group(screen));
        longhaul.addSubcommand(WebhookCommands.group(screen));
        ServerCommands.server().forEach(command -> longhaul.addSubcommand(command.on(screen)));
        return longhaul.addSubcommand(KeyCommands.group(screen))
                .addSubcommand(new Export(screen))
                .addSubcommand(new Import(screen))
                .addSubcommand(new Doctor(screen))
                .addSubcommand(new Completion(screen));
    }
}
