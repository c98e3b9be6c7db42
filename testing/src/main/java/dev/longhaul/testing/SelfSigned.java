package dev.longhaul.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;

/**
 * A certificate for localhost and 127.0.0.1 that signs itself, made by keytool.
 *
 * @param certificate the certificate
 * @param certificateFile the same as a PEM file
 * @param keyFile its private key as a PEM file
 */
public record SelfSigned(Certificate certificate, Path certificateFile, Path keyFile) {
    private static final String ALIAS = "self";
    private static final String PASSWORD = "changeit";

    /** Makes one, with its files in that directory. */
    public static SelfSigned in(Path directory) throws Exception {
        Path file = directory.resolve("self.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=longhaul test",
                        "-ext",
                        "san=dns:localhost,ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        file.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(keytool.getInputStream().readAllBytes(), UTF_8);
        if (keytool.waitFor() != 0) {
            throw new IllegalStateException("keytool: " + output);
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        Certificate certificate = store.getCertificate(ALIAS);
        byte[] key = store.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded();
        return new SelfSigned(
                certificate,
                pem(directory, "CERTIFICATE", certificate.getEncoded()),
                pem(directory, "PRIVATE KEY", key));
    }

    private static Path pem(Path directory, String kind, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        String whole = "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n";
        return Files.writeString(directory.resolve(kind.replace(' ', '-') + ".pem"), whole);
    }
}
