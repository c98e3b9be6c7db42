package dev.longhaul.examples;

import dev.longhaul.JobDefinition;
import dev.longhaul.examples.SignUp.Sent;
import dev.longhaul.examples.SignUp.Welcome;
import dev.longhaul.testkit.LonghaulExtension;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests of an application's jobs: in memory, in the thread of the test, with a clock that the test moves. */
// region testing
class SignUpTest {
    private boolean mailerIsDown;

    private final JobDefinition<Welcome, Sent> welcome = SignUp.welcome((address, text) -> {
        if (mailerIsDown) {
            throw new IOException("no response");
        }
        return "message-1";
    });

    @RegisterExtension
    final LonghaulExtension jobs = LonghaulExtension.with(welcome);

    @Test
    void signing_up_sends_one_welcome() {
        var signUp = new SignUp(jobs.longhaul(), welcome);
        signUp.signUp("ann@example.org");
        signUp.signUp("ann@example.org");
        jobs.assertThatEnqueued(welcome).containsExactly(new Welcome("ann@example.org"));
        jobs.runDue(); // nothing runs before this call
        jobs.assertThatOnlyJob(welcome).hasQueue("mail").hasResult(new Sent("message-1"));
    }

    @Test
    void a_mailer_that_is_down_is_retried() {
        mailerIsDown = true;
        new SignUp(jobs.longhaul(), welcome).signUp("ann@example.org");
        jobs.runDue();
        jobs.assertThatOnlyJob(welcome).isRetrying().hasFailureMessageContaining("no response");
        mailerIsDown = false;
        jobs.runAll(); // moves the clock to the next attempt
        jobs.assertThatOnlyJob(welcome).hasSucceeded().hasAttempts(2);
    }
}
// endregion
