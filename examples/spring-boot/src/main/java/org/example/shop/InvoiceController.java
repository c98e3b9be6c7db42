package org.example.shop;

import dev.longhaul.JobResult;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobId;
import dev.longhaul.spring.JobClient;
import java.net.URI;
import org.example.shop.InvoicePdf.Invoice;
import org.example.shop.InvoicePdf.Pdf;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** {@code POST /orders/{order}/invoice} starts to render an invoice; the response names where to fetch it. */
@RestController
class InvoiceController {
    private final JdbcClient jdbc;
    private final Longhaul longhaul;
    private final JobClient<Invoice, Pdf> invoices;

    InvoiceController(JdbcClient jdbc, Longhaul longhaul, JobClient<Invoice, Pdf> invoices) {
        this.jdbc = jdbc;
        this.longhaul = longhaul;
        this.invoices = invoices;
    }

    // region invoice
    @PostMapping("/orders/{order}/invoice")
    ResponseEntity<Void> start(@PathVariable long order) {
        String item = jdbc.sql("select item from orders where id = ?")
                .param(order)
                .query(String.class)
                .optional()
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND));
        JobId job = invoices.later(new Invoice(order, item));
        return ResponseEntity.accepted()
                .location(URI.create("/invoices/" + job))
                .build();
    }

    @GetMapping("/invoices/{job}")
    ResponseEntity<byte[]> fetch(@PathVariable String job) {
        JobResult<Pdf> result = longhaul.find(invoices.definition(), JobId.parse(job))
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND));
        if (result.completedAt() == null) {
            return ResponseEntity.accepted().build(); // not yet
        }
        return ResponseEntity.ok()
                .contentType(MediaType.APPLICATION_PDF)
                .body(result.orThrow().content());
    }
    // endregion
}
