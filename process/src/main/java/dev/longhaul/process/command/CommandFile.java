package dev.longhaul.process.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.Payload;
import dev.longhaul.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads definitions of commands from a JSON file of the operator: each entry of {@code commands} has a key, an argv with
 * {@code {name}} placeholders for params, and the schema of the params. Clients that submit jobs choose only the params.
 */
public final class CommandFile {
    private static final int MOST_EXIT_CODE = 255;
    /** Accepts any JSON: the code in a pod decides what result it writes. */
    private static final String ANYTHING = "{}";

    private static final String ANY_OBJECT = "{\"type\":\"object\",\"additionalProperties\":false}";

    private CommandFile() {}

    /** One entry of the file. */
    record Entry(
            String key,
            @Nullable Integer version,
            List<String> argv,
            @Nullable JsonNode params,
            @Nullable Map<String, String> env,
            @Nullable String dir,
            @Nullable String stdin,
            @Nullable Integer timeoutSeconds,
            @Nullable Integer maxAttempts,
            @Nullable Integer concurrencyLimit,
            @Nullable String queue,
            @Nullable String memory,
            @Nullable Double cpu,
            @Nullable Integer processes,
            @Nullable Set<Integer> finalExitCodes,
            @Nullable String image,
            @Nullable String namespace,
            @Nullable String serviceAccount) {}

    /** The contents of the file. */
    record Entries(List<Entry> commands) {}

    public static List<JobDefinition<?, ?>> read(Path file) {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            throw wrong(file, "a readable file; " + e, e);
        }
        List<JobDefinition<?, ?>> definitions = new ArrayList<>();
        try {
            Entries entries = Json.read(text, Entries.class);
            if (entries == null || entries.commands() == null) {
                throw wrong(file, "an object with a list of commands", null);
            }
            for (Entry entry : entries.commands()) {
                definitions.add(definition(entry));
            }
        } catch (LonghaulException e) {
            throw wrong(file, "commands as described in docs/guides/isolation.md; " + e.getMessage(), e);
        }
        return definitions;
    }

    private static LonghaulException wrong(Path file, String expected, @Nullable Throwable cause) {
        return new LonghaulException(
                ErrorCode.INVALID_ARGUMENT, "commands: " + file + " (expected: " + expected + ")", cause);
    }

    private static JobDefinition<?, ?> definition(@Nullable Entry entry) {
        if (entry == null || entry.key() == null) {
            throw new LonghaulException(ErrorCode.INVALID_ARGUMENT, "key of a command: none (expected: a name)");
        }
        if (entry.argv() == null
                || entry.argv().isEmpty()
                || entry.argv().stream().anyMatch(Objects::isNull)) {
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT,
                    "argv of " + entry.key() + ": missing or empty (expected: a program and its arguments)");
        }
        Map<String, String> env = entry.env() == null ? Map.of() : entry.env();
        Set<Integer> finals = entry.finalExitCodes() == null ? Set.of() : entry.finalExitCodes();
        check(entry.key(), env, finals);
        JsonNode params = entry.params();
        var template = new CommandTemplate(entry.argv(), env, entry.dir(), entry.stdin(), names(params));
        var builder = JobDefinition.of(entry.key(), JsonNode.class, CommandResult.class)
                .paramsSchema(params == null ? ANY_OBJECT : params.toString())
                .isolation(isolation(entry));
        if (entry.image() != null) {
            builder.resultSchema(ANYTHING);
        }
        Integer version = entry.version();
        if (version != null) {
            builder.version(version);
        }
        Integer seconds = entry.timeoutSeconds();
        if (seconds != null) {
            builder.timeout(Duration.ofSeconds(seconds));
        }
        Integer attempts = entry.maxAttempts();
        if (attempts != null) {
            builder.maxAttempts(attempts);
        }
        Integer limit = entry.concurrencyLimit();
        if (limit != null) {
            builder.concurrencyLimit(limit);
        }
        String queue = entry.queue();
        if (queue != null) {
            builder.queue(queue);
        }
        return builder.handler(new CommandHandler(template::fill, finals));
    }

    /** Rejects invalid variables and exit codes. */
    private static void check(String key, Map<String, String> env, Set<Integer> finals) {
        env.forEach((name, value) -> {
            if (name.isEmpty() || name.contains("=") || name.indexOf('\0') >= 0 || value == null) {
                throw new LonghaulException(
                        ErrorCode.INVALID_ARGUMENT,
                        "env of " + key + ": " + Payload.quoted(name)
                                + " (expected: a name without = and NUL, and a string value)");
            }
        });
        for (Integer code : finals) {
            if (code == null || code < 1 || code > MOST_EXIT_CODE) {
                throw new LonghaulException(
                        ErrorCode.INVALID_ARGUMENT,
                        "finalExitCodes of " + key + ": " + code + " (expected: 1 to " + MOST_EXIT_CODE + ")");
            }
        }
    }

    private static Isolation isolation(Entry entry) {
        String image = entry.image();
        if (image != null) {
            return pod(entry, image);
        }
        if (entry.namespace() != null || entry.serviceAccount() != null) {
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT,
                    "namespace and serviceAccount of " + entry.key()
                            + ": set without an image (expected: an image, to run in a pod)");
        }
        Isolation.InProcess isolation = Isolation.process();
        String memory = entry.memory();
        if (memory != null) {
            isolation = isolation.memory(memory);
        }
        Double cpu = entry.cpu();
        if (cpu != null) {
            isolation = isolation.cpu(cpu);
        }
        Integer processes = entry.processes();
        return processes == null ? isolation : isolation.processes(processes);
    }

    private static Isolation pod(Entry entry, String image) {
        if (entry.processes() != null || entry.dir() != null || entry.stdin() != null) {
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT,
                    entry.key() + ": (expected: none of dir, stdin and processes with an image)");
        }
        Isolation.InPod pod =
                new Isolation.InPod(image, null, entry.cpu(), entry.namespace(), entry.serviceAccount(), Map.of());
        String memory = entry.memory();
        return memory == null ? pod : pod.memory(memory);
    }

    private static Set<String> names(@Nullable JsonNode params) {
        Set<String> names = new HashSet<>();
        if (params != null) {
            params.path("properties").fieldNames().forEachRemaining(names::add);
        }
        return names;
    }
}
