package org.example.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.security.test.web.servlet.request.SecurityMockMvcRequestPostProcessors.user;

import dev.longhaul.Longhaul;
import dev.longhaul.job.JobId;
import dev.longhaul.spring.JobClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.example.shop.InvoicePdf.Invoice;
import org.example.shop.InvoicePdf.Pdf;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

/** The shop as it runs, with workers. */
@SpringBootTest
@AutoConfigureMockMvc
@Import(LocalPostgres.class)
class ShopTest {
    @Autowired
    private MockMvcTester http;

    @Autowired
    private Longhaul longhaul;

    @Autowired
    private JobClient<Invoice, Pdf> invoices;

    @Test
    void an_invoice_is_rendered_in_a_process_of_its_own() throws Exception {
        String order = location(post("/orders").content("""
                {"item": "teapot", "email": "ann@example.org"}"""));
        String invoice = location(post(order + "/invoice"));

        var id = JobId.parse(invoice.substring(invoice.lastIndexOf('/') + 1));
        longhaul.await(invoices.definition(), id, Duration.ofMinutes(1)).orThrow();
        byte[] pdf = http.get().uri(invoice).exchange().getResponse().getContentAsByteArray();
        assertThat(new String(pdf, StandardCharsets.ISO_8859_1)).startsWith("%PDF-");
    }

    @Test
    void a_sold_out_item_is_a_conflict() {
        assertThat(post("/orders").content("""
                        {"item": "kettle", "email": "ann@example.org"}""")).hasStatus(409);
    }

    @Test
    void the_dashboard_needs_a_login() {
        assertThat(http.get().uri("/longhaul/")).hasStatus(302).hasRedirectedUrl("/login");
        assertThat(http.get().uri("/longhaul/").with(user("customer"))).hasStatus(403);
        assertThat(http.get().uri("/longhaul/").with(user("ops").roles("OPS")))
                .hasStatusOk()
                .bodyText()
                .contains("<html");
        assertThat(http.get().uri("/longhaul/v1/definitions").with(user("ops").roles("OPS")))
                .hasStatusOk()
                .bodyText()
                .contains("mail.confirmation");
    }

    @Test
    void the_actuator_needs_a_login_except_for_health() {
        assertThat(http.get().uri("/actuator/health/readiness")).hasStatusOk();
        assertThat(http.get().uri("/actuator/longhaul")).hasStatus(302);
        assertThat(http.get().uri("/actuator/longhaul").with(user("ops").roles("OPS")))
                .hasStatusOk()
                .bodyText()
                .contains("mail.confirmation");
    }

    private MockMvcTester.MockMvcRequestBuilder post(String uri) {
        return http.post().uri(uri).contentType(MediaType.APPLICATION_JSON);
    }

    private static String location(MockMvcTester.MockMvcRequestBuilder request) {
        MvcTestResult result = request.exchange();
        assertThat(result).hasStatus2xxSuccessful();
        return String.valueOf(result.getResponse().getHeader("Location"));
    }
}
