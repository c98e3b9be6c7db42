package dev.longhaul.cli.client.access;

import static dev.longhaul.cli.client.Argument.positional;
import static dev.longhaul.cli.client.Argument.text;
import static dev.longhaul.cli.client.Argument.texts;
import static dev.longhaul.cli.client.RestCommand.delete;
import static dev.longhaul.cli.client.RestCommand.get;
import static dev.longhaul.cli.client.RestCommand.post;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.cli.client.Api;
import dev.longhaul.cli.client.Call;
import dev.longhaul.cli.client.ResponseText;
import dev.longhaul.cli.client.RestCommand;
import dev.longhaul.cli.client.Screen;
import dev.longhaul.cli.client.ServerOptions;
import dev.longhaul.cli.client.Style;
import dev.longhaul.cli.client.Table;
import dev.longhaul.cli.client.Table.Column;
import dev.longhaul.cli.client.database.DatabaseOptions;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

/** The commands for API keys, through a server or directly in its database. */
public final class KeyCommands {
    private static final Table KEYS = new Table(
                    Column.id("KEY", "id"),
                    Column.of("NAME", "name"),
                    Column.of("ROLE", "role"),
                    Column.of(
                            "QUEUES",
                            key -> key.path("queues").isEmpty() ? "all" : ResponseText.joined(key.path("queues"))),
                    Column.time("CREATED", "createdAt"),
                    Column.time("LAST USED", "lastUsedAt"),
                    Column.of("STATE", key -> key.hasNonNull("revokedAt") ? "revoked" : "valid")
                            .uncut()
                            .styled(Style::ofStatus))
            .optional("QUEUES", "CREATED", "LAST USED");

    private KeyCommands() {}

    public static CommandLine group(Screen screen) {
        return RestCommand.group(
                screen,
                "keys",
                List.of(
                        "Lists, creates and revokes API keys.",
                        "Calls a server, or opens its database, also while no server runs: with --store, --database-url,"
                                + " --data-dir or --config, or with LONGHAUL_STORE=postgres://… unless a server or a key is"
                                + " given."),
                get("list", "/v1/keys", "Lists API keys.")
                        .mixin(DatabaseOptions::new)
                        .runs(KeyCommands::list),
                post("create", "/v1/keys", "Creates an API key and prints it once. It cannot be shown again.")
                        .mixin(DatabaseOptions::new)
                        .arguments(
                                text("--role", "ROLE", "Role: viewer, submitter, operator, admin or worker.")
                                        .required()
                                        .field("role"),
                                text("--name", "NAME", "Name of the key, shown as createdBy and in the audit trail.")
                                        .required()
                                        .field("name"),
                                texts("--queue", "QUEUE", "Restrict a worker key to this queue; repeatable.")
                                        .field("queues"),
                                text(
                                        "--out",
                                        "FILE",
                                        "Write the key to a new file with mode 0600 instead of printing it."))
                        .runs(KeyCommands::create),
                delete("revoke", "/v1/keys/{ID}", "Revokes an API key immediately.")
                        .mixin(DatabaseOptions::new)
                        .arguments(positional("ID", "Key id, as shown by keys list."))
                        .runs(KeyCommands::revoke));
    }

    /** Sends the command's request to the server or, if the options select a database, performs it there. */
    private static Api.Reply send(Call call, boolean make, Function<KeyDatabase, JsonNode> inDatabase) {
        DatabaseOptions options = call.mixin(DatabaseOptions.class);
        boolean selected = options.given() || options.config() != null;
        if (!selected && (call.hasServer() || !DatabaseOptions.inEnvironment())) {
            return call.send();
        }
        try (var database = new KeyDatabase(options.open(make), make)) {
            return new Api.Reply(inDatabase.apply(database).toString(), null);
        }
    }

    private static int list(Call call) {
        call.show(send(call, false, KeyDatabase::list), KEYS.list("keys"));
        return ExitCode.OK;
    }

    private static int revoke(Call call) {
        String id = call.required("ID");
        call.show(
                send(call, false, database -> database.revoke(id)),
                (screen, key) -> screen.out()
                        .println(id + " revoked (" + key.path("name").asText() + ")"));
        return ExitCode.OK;
    }

    private static int create(Call call) {
        String out = call.text("--out");
        Path file = out == null ? null : Path.of(out);
        if (file != null && Files.exists(file)) {
            throw ServerOptions.bad("out", file.toString(), "a file that does not exist yet");
        }
        String name = call.required("--name");
        String role = call.required("--role");
        Api.Reply reply = send(call, true, database -> database.create(name, role, call.texts("--queue")));
        JsonNode key = reply.json();
        String secret = key.path("secret").asText();
        if (file != null) {
            write(file, secret);
        } else {
            call.show(reply, (screen, created) -> screen.out().println(secret));
        }
        call.screen().out().flush();
        call.screen()
                .err()
                .println("Key " + key.path("id").asText() + ": " + name + ", " + role
                        + (file == null ? ". Save it now; it cannot be shown again." : ", in " + file));
        return ExitCode.OK;
    }

    private static void write(Path file, String secret) {
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(file, secret + "\n", StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new LonghaulException(
                    ErrorCode.INTERNAL, "key created, but writing it to " + file + " failed (" + e + "); revoke it", e);
        }
    }
}
