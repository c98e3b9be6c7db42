package dev.longhaul.api.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.api.http.ContentType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The files of the dashboard, read and compressed once. They are the files that its page names: from its own directory
 * or, below {@code lib/}, from libraries. The version in their URLs is a hash of their content.
 */
final class DashboardFiles {
    private static final String OWN = "/dev/longhaul/dashboard/";
    private static final String BASE = "{files}";
    private static final Pattern NAMED = Pattern.compile(Pattern.quote(BASE) + "/([^\"]+)\"");
    private static final Pattern IMPORT_MAP =
            Pattern.compile("<script type=\"importmap\">(.*?)</script>", Pattern.DOTALL);

    private final Map<String, Served> files = new LinkedHashMap<>();
    private final String version;
    private final Served page;
    private final String importMapHash;

    /** A file, in plain and compressed form. */
    static final class Served {
        final String type;
        final byte[] plain;
        final byte[] zipped;
        final String tag;

        Served(String name, byte[] plain) {
            this.type = typeOf(name);
            this.plain = plain;
            this.zipped = zip(plain);
            this.tag = '"' + hex(sha256(plain)).substring(0, 20) + '"';
        }
    }

    /** @param login how users log in: {@code key} or {@code application} */
    DashboardFiles(String login) {
        String template = new String(read(OWN + "index.html"), UTF_8);
        MessageDigest all = sha256();
        all.update(template.getBytes(UTF_8));
        Matcher names = NAMED.matcher(template);
        while (names.find()) {
            String name = names.group(1);
            byte[] bytes = read(place(name));
            all.update(bytes);
            files.put(name, new Served(name, bytes));
        }
        this.version = hex(all.digest()).substring(0, 12);
        String html = template.replace("{login}", login).replace(BASE, "./ui/" + version);
        this.page = new Served("index.html", html.getBytes(UTF_8));
        Matcher map = IMPORT_MAP.matcher(html);
        if (!map.find()) {
            throw new IllegalStateException("index.html has no import map");
        }
        this.importMapHash = "sha256-"
                + Base64.getEncoder().encodeToString(sha256(map.group(1).getBytes(UTF_8)));
    }

    Served page() {
        return page;
    }

    /** Returns the hash of the only inline script, for the content security policy. */
    String importMapHash() {
        return importMapHash;
    }

    @Nullable
    Served find(String requestedVersion, String name) {
        return requestedVersion.equals(version) ? files.get(name) : null;
    }

    /**
     * Returns the resource path of a file. The file {@code lib/@lit/x/y.js} is {@code y.js} in the webjar
     * {@code lit__x}.
     */
    private static String place(String name) {
        if (!name.startsWith("lib/")) {
            return OWN + name;
        }
        String library = name.substring("lib/".length());
        int end = library.indexOf('/', library.startsWith("@") ? library.indexOf('/') + 1 : 0);
        String artifact = library.substring(0, end).replace("@", "").replace("/", "__");
        return "/META-INF/resources/webjars/" + artifact + "/" + versionOf(artifact) + library.substring(end);
    }

    private static String versionOf(String artifact) {
        var properties = new Properties();
        try (InputStream in = DashboardFiles.class.getResourceAsStream(
                "/META-INF/maven/org.webjars.npm/" + artifact + "/pom.properties")) {
            if (in == null) {
                throw new IllegalStateException("not on the class path: the webjar " + artifact);
            }
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version", "");
    }

    private static String typeOf(String name) {
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "js" -> ContentType.JAVASCRIPT;
            case "css" -> ContentType.CSS;
            case "html" -> ContentType.HTML;
            case "svg" -> ContentType.SVG;
            default -> throw new IllegalStateException("no media type for " + name);
        };
    }

    private static byte[] read(String name) {
        try (InputStream in = DashboardFiles.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("not on the class path: " + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] zip(byte[] plain) {
        var out = new ByteArrayOutputStream(plain.length / 3);
        try (var zip = new GZIPOutputStream(out)) {
            zip.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static byte[] sha256(byte[] bytes) {
        return sha256().digest(bytes);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
