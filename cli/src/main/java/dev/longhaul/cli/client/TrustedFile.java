package dev.longhaul.cli.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Trusts only the certificates of one file, for servers with a private CA or a self-signed certificate. */
final class TrustedFile {
    private TrustedFile() {}

    static SSLContext context(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            int count = 0;
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                trusted.setCertificateEntry("given-" + count++, certificate);
            }
            if (count > 0) {
                var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
                managers.init(trusted);
                SSLContext context = SSLContext.getInstance("TLS");
                context.init(null, managers.getTrustManagers(), null);
                return context;
            }
        } catch (IOException | GeneralSecurityException e) {
            // Reported below as a file without certificates.
        }
        throw ServerOptions.bad("ca-file", file.toString(), "a readable PEM file with certificates");
    }
}
