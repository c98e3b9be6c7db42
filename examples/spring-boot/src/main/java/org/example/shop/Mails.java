package org.example.shop;

import dev.longhaul.JobContext;
import dev.longhaul.spring.LonghaulJob;
import java.io.IOException;
import org.example.shop.MailSender.InvalidAddressException;
import org.springframework.stereotype.Component;

/** Sends confirmations. A mail server that is down delays them; an address that does not exist fails them at once. */
@Component
class Mails {
    private final MailSender sender;

    Mails(MailSender sender) {
        this.sender = sender;
    }

    // region mail
    record Confirmation(long order, String email, String item) {}

    record Sent(String messageId) {}

    @LonghaulJob(
            key = "mail.confirmation",
            queue = "mail",
            timeout = "30s",
            maxAttempts = 8,
            backoff = "10s",
            noRetryFor = InvalidAddressException.class)
    Sent confirm(Confirmation confirmation, JobContext context) throws IOException {
        // A job may run again after a crash. The mail server recognises the id and sends the mail once.
        String messageId = context.jobId() + "@shop.example";
        sender.send(messageId, confirmation.email(), "Thank you for ordering: " + confirmation.item());
        return new Sent(messageId);
    }
    // endregion
}
