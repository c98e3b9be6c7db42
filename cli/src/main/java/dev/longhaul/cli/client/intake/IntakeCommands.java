package dev.longhaul.cli.client.intake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.cli.client.RestCommand;
import dev.longhaul.cli.client.Screen;
import dev.longhaul.cli.client.Table;
import dev.longhaul.cli.client.Table.Column;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.intake.IntakeRecord;
import dev.longhaul.kafka.ParkedRecords;
import dev.longhaul.kafka.ParkedRecords.Parked;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists and replays the records of an intake that the database rejected. */
public final class IntakeCommands {
    private static final Table PARKED = new Table(
                    Column.id("POSITION", "position"),
                    Column.id("JOB", "jobId"),
                    Column.orDash("WRITE", "write"),
                    Column.time("ACCEPTED", "acceptedAt"),
                    Column.time("PARKED", "parkedAt"),
                    Column.of("REASON", "reason").text())
            .optional("ACCEPTED", "PARKED");

    private IntakeCommands() {}

    public static CommandLine group(Screen screen) {
        return RestCommand.group(
                        screen,
                        "intake",
                        List.of(
                                "Lists and replays records of the intake that the database rejected.",
                                "Connects to Kafka with the settings of the server: docs/guides/scale-out.md."))
                .addSubcommand(new CommandLine(new ListParked(screen)))
                .addSubcommand(new CommandLine(new Replay(screen)));
    }

    @Command(name = "parked", description = "Lists parked records, the oldest first.", mixinStandardHelpOptions = true)
    private static final class ListParked implements Callable<Integer> {
        private final Screen screen;

        @Mixin
        private IntakeOptions intake = new IntakeOptions();

        @Option(
                names = "--limit",
                paramLabel = "N",
                defaultValue = "100",
                description = "Number of records (default: 100).")
        private int limit;

        @Option(names = "--json", description = "Print one JSON object per record.")
        private boolean json;

        ListParked(Screen screen) {
            this.screen = screen;
        }

        @Override
        public Integer call() {
            List<JsonNode> rows = new ArrayList<>();
            try (var parked = ParkedRecords.open(intake.settings())) {
                parked.list(limit).forEach(one -> rows.add(row(one)));
            }
            if (json) {
                rows.forEach(screen.out()::println);
                screen.out().flush();
            } else {
                PARKED.print(screen, rows);
            }
            return ExitCode.OK;
        }
    }

    @Command(
            name = "replay",
            description =
                    "Appends parked records to the intake again. Fix the cause first: they are parked again otherwise.",
            mixinStandardHelpOptions = true)
    private static final class Replay implements Callable<Integer> {
        private final Screen screen;

        @Mixin
        private IntakeOptions intake = new IntakeOptions();

        @Parameters(
                arity = "0..1",
                paramLabel = "POSITION",
                description = "The record to replay, such as 3/118, as longhaul intake parked prints it.")
        private @Nullable String position;

        @Option(names = "--all", description = "Replay all parked records.")
        private boolean all;

        Replay(Screen screen) {
            this.screen = screen;
        }

        @Override
        public Integer call() {
            if (all == (position != null)) {
                throw new LonghaulException(
                        ErrorCode.INVALID_ARGUMENT,
                        List.of(new FieldError(
                                "position", all ? "given with --all" : "missing", "either a POSITION or --all")));
            }
            int replayed;
            try (var parked = ParkedRecords.open(intake.settings())) {
                replayed = parked.replay(one -> all || position(one).equals(position));
            }
            if (replayed == 0 && !all) {
                throw new LonghaulException(ErrorCode.NOT_FOUND, "no parked record has the position " + position);
            }
            screen.out().println("Replayed " + replayed + (replayed == 1 ? " record." : " records."));
            screen.out().flush();
            return ExitCode.OK;
        }
    }

    private static String position(Parked parked) {
        return parked.position().partition() + "/" + parked.position().offset();
    }

    private static JsonNode row(Parked parked) {
        ObjectNode row = JsonNodeFactory.instance.objectNode();
        row.put("position", position(parked));
        IntakeRecord record = parked.record();
        if (record != null) {
            row.put("jobId", record.id().toString());
            row.put("write", write(record));
        }
        row.put("acceptedAt", parked.appendedAt().toString());
        row.put("parkedAt", parked.parkedAt().toString());
        return row.put("reason", parked.reason());
    }

    private static String write(IntakeRecord record) {
        if (record instanceof IntakeRecord.Create create) {
            return "start " + create.spec().definition();
        }
        return record instanceof IntakeRecord.Change change
                ? change.command().getClass().getSimpleName().toLowerCase(Locale.ROOT)
                : "unknown";
    }
}
