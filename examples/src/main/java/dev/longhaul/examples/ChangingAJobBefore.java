package dev.longhaul.examples;

import dev.longhaul.JobDefinition;

/** The code that is deployed before {@link ChangingAJob}. */
final class ChangingAJobBefore {
    private ChangingAJobBefore() {}

    // region before
    record Mail(String to, String text) {}

    static final JobDefinition<Mail, String> SEND = JobDefinition.of("mail.send", Mail.class, String.class)
            .handler((mail, context) -> "to " + mail.to() + ": " + mail.text());
    // endregion
}
