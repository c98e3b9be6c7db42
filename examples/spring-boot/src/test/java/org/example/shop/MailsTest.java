package org.example.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.spring.JobClient;
import dev.longhaul.spring.test.LonghaulTest;
import dev.longhaul.testkit.TestJobs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.example.shop.Mails.Confirmation;
import org.example.shop.Mails.Sent;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.ContextConfiguration;

/** The mail job alone: in memory, without a database, with a clock that the test moves. */
// region slice
@LonghaulTest
@ContextConfiguration(classes = {Mails.class, MailsTest.MailServer.class})
class MailsTest {
    static class MailServer implements MailSender {
        final List<String> sent = new ArrayList<>();
        boolean down;

        @Override
        public void send(String messageId, String address, String text) throws IOException {
            if (address.startsWith("nobody@")) {
                throw new InvalidAddressException("no such mailbox");
            }
            if (down) {
                throw new IOException("connection refused");
            }
            sent.add(address);
        }
    }

    @Autowired
    private TestJobs jobs;

    @Autowired
    private JobClient<Confirmation, Sent> confirmations;

    @Autowired
    private MailServer server;

    @BeforeEach
    void start() {
        server.sent.clear();
        server.down = false;
    }

    @Test
    void a_mail_waits_for_the_server() {
        server.down = true;
        confirmations.later(new Confirmation(1, "ann@example.org", "teapot"));
        jobs.runDue();
        jobs.assertThatOnlyJob(confirmations.definition()).isRetrying().hasFailureMessageContaining("refused");

        server.down = false;
        jobs.runAll(); // moves the clock to the next attempt
        jobs.assertThatOnlyJob(confirmations.definition()).hasSucceeded().hasAttempts(2);
        assertThat(server.sent).containsExactly("ann@example.org");
    }

    @Test
    void an_address_that_does_not_exist_is_not_tried_again() {
        confirmations.later(new Confirmation(1, "nobody@example.org", "teapot"));
        jobs.runAll();
        jobs.assertThatOnlyJob(confirmations.definition()).hasFailed().hasAttempts(1);
    }
}
// endregion
