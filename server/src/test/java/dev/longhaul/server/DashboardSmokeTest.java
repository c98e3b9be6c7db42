package dev.longhaul.server;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A short test of the dashboard in every build; the other browser tests run with {@code -Pfull}. */
class DashboardSmokeTest {
    @RegisterExtension
    final Doors doors = new Doors();

    @Test
    void shows_a_job_in_the_list_and_its_result_on_its_page() {
        String id = doors.start("test.echo", ",\"name\":\"Greet Ada\",\"params\":{\"name\":\"Ada\",\"number\":7}");
        doors.await(id, "succeeded");
        try (Browser browser = Browser.on(doors.port())) {
            browser.go("jobs").sees("Greet Ada").sees("succeeded");
            browser.go("jobs/" + id).click("Params and result").sees("\"number\": 7");
            browser.assertNoErrors();
        }
    }
}
