package org.example.shop;

import dev.longhaul.spring.LonghaulJob;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.pdmodel.PDPageContentStream;
import org.apache.pdfbox.pdmodel.font.PDType1Font;
import org.apache.pdfbox.pdmodel.font.Standard14Fonts.FontName;
import org.springframework.stereotype.Component;

/**
 * Renders invoices, each in a process of its own: a document that needs too much memory ends its run and not the shop. That
 * process has no application context. It creates this class by its constructor, so everything a run needs is in its params.
 */
@Component
class InvoicePdf {
    // region pdf
    record Invoice(long order, String item) {}

    record Pdf(byte[] content) {}

    @LonghaulJob(key = "invoice.pdf", isolation = "process", memory = "256m", timeout = "1m", maxAttempts = 2)
    Pdf render(Invoice invoice) throws IOException {
        try (var document = new PDDocument();
                var bytes = new ByteArrayOutputStream()) {
            var page = new PDPage();
            document.addPage(page);
            try (var content = new PDPageContentStream(document, page)) {
                content.beginText();
                content.setFont(new PDType1Font(FontName.HELVETICA), 14);
                content.newLineAtOffset(72, 700);
                content.showText("Invoice " + invoice.order() + ": " + invoice.item());
                content.endText();
            }
            document.save(bytes);
            return new Pdf(bytes.toByteArray()); // small; store large files elsewhere and return their address
        }
    }
    // endregion
}
