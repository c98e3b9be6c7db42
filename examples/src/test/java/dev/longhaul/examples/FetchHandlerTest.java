package dev.longhaul.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.GiveUpException;
import dev.longhaul.examples.Failing.Fetch;
import dev.longhaul.examples.Failing.Fetched;
import dev.longhaul.testkit.TestJobContext;
import org.junit.jupiter.api.Test;

class FetchHandlerTest {
    // region handler
    @Test
    void the_third_attempt_succeeds() throws Exception {
        var context = TestJobContext.of(Failing.FETCH).withAttempt(3);

        assertThat(context.call(Failing.FETCH, new Fetch("flaky"))).isEqualTo(new Fetched(3));
    }

    @Test
    void a_page_that_is_gone_is_not_retried() {
        var context = TestJobContext.of(Failing.FETCH);

        assertThatThrownBy(() -> context.call(Failing.FETCH, new Fetch("gone"))).isInstanceOf(GiveUpException.class);
    }
    // endregion
}
