package dev.longhaul.examples;

import static java.time.Duration.ofSeconds;

import com.fasterxml.jackson.annotation.JsonAlias;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobId;
import dev.longhaul.json.TypeRef;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Jobs that an earlier version of the code has queued run in a later one, whose params have other fields. */
public final class ChangingAJob {
    private ChangingAJob() {}

    // region add
    record Mail(@JsonAlias("to") String recipient, String text, Optional<String> subject) {}

    static final JobDefinition<Mail, String> SEND = JobDefinition.of("mail.send", Mail.class, String.class)
            .handler((mail, context) ->
                    "to " + mail.recipient() + ", " + mail.subject().orElse("no subject") + ": " + mail.text());
    // endregion

    // region version
    record Letter(List<String> recipients, String subject, String text) {}

    static final JobDefinition<Letter, Integer> SEND_2 = JobDefinition.of("mail.send", Letter.class, Integer.class)
            .version(2)
            .handler((letter, context) -> letter.recipients().size());
    // endregion

    // region types
    static final JobDefinition<List<Letter>, List<String>> SUBJECTS = JobDefinition.of(
                    "mail.subjects", new TypeRef<List<Letter>>() {}, new TypeRef<List<String>>() {})
            .handler((letters, context) -> {
                List<Letter> sorted = context.step(
                        "sort",
                        new TypeRef<List<Letter>>() {},
                        () -> letters.stream()
                                .sorted(Comparator.comparing(Letter::subject))
                                .toList());
                return sorted.stream().map(Letter::subject).toList();
            });
    // endregion

    public static void main(String[] arguments) throws Exception {
        try (var database = ExampleDatabase.open()) {
            JobId queued;
            try (var yesterday = Longhaul.builder()
                    .postgres(database.dataSource())
                    .register(ChangingAJobBefore.SEND)
                    .enqueueOnly()
                    .start()) {
                queued = yesterday.later(ChangingAJobBefore.SEND, new ChangingAJobBefore.Mail("ann", "hello"));
            }
            try (var today = Longhaul.builder()
                    .postgres(database.dataSource())
                    .register(SEND, SEND_2, SUBJECTS)
                    .start()) {
                System.out.println(today.await(SEND, queued, ofSeconds(30)).data());
                var letter = new Letter(List.of("ann", "bob"), "news", "hello both of you");
                System.out.println(today.await(SEND_2, today.later(SEND_2, letter), ofSeconds(30))
                        .data());
                System.out.println(today.await(SUBJECTS, today.later(SUBJECTS, List.of(letter)), ofSeconds(30))
                        .data());
            }
        }
    }
}
