package dev.longhaul.cli;

import dev.longhaul.cli.client.Completion;
import dev.longhaul.cli.client.Screen;
import dev.longhaul.cli.client.access.KeyCommands;
import dev.longhaul.cli.client.database.Export;
import dev.longhaul.cli.client.database.Import;
import dev.longhaul.cli.client.doctor.Doctor;
import dev.longhaul.cli.client.job.JobCommands;
import dev.longhaul.cli.client.schedule.ScheduleCommands;
import dev.longhaul.cli.client.server.ServerCommands;
import dev.longhaul.cli.client.webhook.WebhookCommands;
import picocli.CommandLine;

/** Lists the commands that call a server or open its database. */
final class ClientCommands {
    private ClientCommands() {}

    /** Adds the commands to the program. */
    static CommandLine addTo(CommandLine longhaul, Screen screen) {
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
