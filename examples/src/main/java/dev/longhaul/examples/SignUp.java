package dev.longhaul.examples;

import static dev.longhaul.JobOptions.options;

import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;

/** A part of an application that enqueues jobs; {@code SignUpTest} shows how to test it. */
final class SignUp {
    record Welcome(String address) {}

    record Sent(String messageId) {}

    /** Sends mail; may fail. */
    interface Mailer {
        String send(String address, String text) throws Exception;
    }

    private final Longhaul longhaul;
    private final JobDefinition<Welcome, Sent> welcome;

    SignUp(Longhaul longhaul, JobDefinition<Welcome, Sent> welcome) {
        this.longhaul = longhaul;
        this.welcome = welcome;
    }

    static JobDefinition<Welcome, Sent> welcome(Mailer mailer) {
        return JobDefinition.of("mail.welcome", Welcome.class, Sent.class)
                .handler((params, context) -> new Sent(mailer.send(params.address(), "Welcome!")));
    }

    void signUp(String address) {
        longhaul.later(welcome, new Welcome(address), options().queue("mail").idempotencyKey(address));
    }
}
