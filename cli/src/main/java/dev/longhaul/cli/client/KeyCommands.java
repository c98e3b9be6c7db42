package dev.longhaul.cli.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Groups what can be done with API keys. */
@Command(
        name = "keys",
        description = {
            "Lists, makes and revokes API keys.",
            "Over a server, or, while none runs, straight in its database (--data-dir, --database-url)."
        },
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
final class KeyCommands {
    private KeyCommands() {}

    static CommandLine group(Screen screen) {
        return new CommandLine(new KeyCommands())
                .addSubcommand(new ListKeys(screen))
                .addSubcommand(new Create(screen))
                .addSubcommand(new Revoke(screen));
    }

    private static JsonNode json(String text) {
        try {
            return Api.JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new LonghaulException(ErrorCode.INTERNAL, "the answer is not JSON: is that a Longhaul server?", e);
        }
    }

    /** Shows all keys, without their secrets, which nobody has. */
    @Command(name = "list", description = "Lists the keys.", mixinStandardHelpOptions = true)
    static final class ListKeys implements Runnable {
        private final Screen screen;

        @Mixin
        private ServerOptions server = new ServerOptions();

        @Mixin
        private DatabaseOptions database = new DatabaseOptions();

        ListKeys(Screen screen) {
            this.screen = screen;
        }

        @Override
        public void run() {
            try (KeyDoor door = KeyDoor.of(server, database, false)) {
                String keys = door.list();
                if (server.json()) {
                    screen.out().println(keys);
                    return;
                }
                var table = new Table("KEY", "NAME", "ROLE", "QUEUES", "AGE", "LAST USED", "STATE").whole(0);
                json(keys)
                        .path("keys")
                        .forEach(key -> table.row(
                                key.path("id").asText(),
                                key.path("name").asText(),
                                key.path("role").asText(),
                                queues(key),
                                JobText.age(key.path("createdAt")),
                                key.hasNonNull("lastUsedAt") ? JobText.age(key.get("lastUsedAt")) + " ago" : "never",
                                key.hasNonNull("revokedAt") ? "revoked" : "valid"));
                table.print(screen);
            }
        }
    }

    private static String queues(JsonNode key) {
        var queues = new ArrayList<String>();
        key.path("queues").forEach(queue -> queues.add(queue.asText()));
        return queues.isEmpty() ? "all" : String.join(",", queues);
    }

    /** Makes a key; the only moment in which its secret is shown. */
    @Command(
            name = "create",
            description = "Makes a key and prints it: once, nobody can look it up later.",
            mixinStandardHelpOptions = true)
    static final class Create implements Runnable {
        private final Screen screen;

        @Mixin
        private ServerOptions server = new ServerOptions();

        @Mixin
        private DatabaseOptions database = new DatabaseOptions();

        @Option(names = "--role", required = true, description = "viewer, submitter, operator, admin or worker.")
        private String role = "";

        @Option(names = "--name", required = true, description = "Shown as createdBy and in the audit trail.")
        private String name = "";

        @Option(
                names = "--queue",
                paramLabel = "QUEUE",
                description = "A worker's key for that queue only; may be given several times.")
        private List<String> queues = List.of();

        @Option(
                names = "--out",
                paramLabel = "FILE",
                description = "Write the key to that new file, which only you can read, and do not print it.")
        private @Nullable Path out;

        Create(Screen screen) {
            this.screen = screen;
        }

        @Override
        public void run() {
            if (out != null && Files.exists(out)) {
                throw ServerOptions.bad("out", out.toString(), "a file that does not exist yet");
            }
            try (KeyDoor door = KeyDoor.of(server, database, true)) {
                String answer = door.create(name, role, queues);
                JsonNode key = json(answer);
                if (out != null) {
                    write(out, key.path("secret").asText());
                } else {
                    screen.out()
                            .println(server.json() ? answer : key.path("secret").asText());
                }
                screen.out().flush();
                screen.err()
                        .println("Key " + key.path("id").asText() + ": " + name + ", " + role
                                + (out == null ? ". Keep it now, it is not shown again." : ", in " + out));
            }
        }

        private static void write(Path file, String secret) {
            try {
                Files.createFile(
                        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
                Files.writeString(file, secret + "\n", StandardOpenOption.WRITE);
            } catch (IOException e) {
                throw new LonghaulException(
                        ErrorCode.INTERNAL,
                        "the key was made, but could not be written to " + file + " (" + e + "); revoke it",
                        e);
            }
        }
    }

    /** Makes a key useless, at once. */
    @Command(name = "revoke", description = "Revokes a key, at once.", mixinStandardHelpOptions = true)
    static final class Revoke implements Runnable {
        private final Screen screen;

        @Mixin
        private ServerOptions server = new ServerOptions();

        @Mixin
        private DatabaseOptions database = new DatabaseOptions();

        @Parameters(paramLabel = "ID", description = "The key's id, as keys list shows it.")
        private String id = "";

        Revoke(Screen screen) {
            this.screen = screen;
        }

        @Override
        public void run() {
            try (KeyDoor door = KeyDoor.of(server, database, false)) {
                String answer = door.revoke(id);
                JsonNode key = json(answer);
                screen.out()
                        .println(
                                server.json()
                                        ? answer
                                        : id + " revoked (" + key.path("name").asText() + ")");
            }
        }
    }
}
