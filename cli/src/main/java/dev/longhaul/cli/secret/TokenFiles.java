package dev.longhaul.cli.secret;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.server.access.LocalToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Stores a local token, so that it survives restarts: in the file {@code token}, and as a header for
 * {@code curl -H @FILE} in the file {@code header}.
 */
public final class TokenFiles {
    private static final Pattern SECRET = Pattern.compile("lh_[A-Za-z0-9_-]{43}");

    private TokenFiles() {}

    /**
     * Reads the token in the directory. Creates a token if it is missing, and replaces one that other users can read.
     */
    public static LocalToken open(Path directory) {
        Path home = directory.toAbsolutePath().normalize();
        Path file = home.resolve("token");
        Path header = home.resolve("header");
        try {
            PrivateFiles.createDirectories(home);
            String kept = PrivateFiles.isPrivate(file) ? Files.readString(file).strip() : "";
            String secret = SECRET.matcher(kept).matches() ? kept : LocalToken.newSecret();
            PrivateFiles.write(file, secret + "\n");
            PrivateFiles.write(header, "Authorization: Bearer " + secret + "\n");
            return new LocalToken(secret, file, header);
        } catch (IOException e) {
            throw new LonghaulException(
                    ErrorCode.FAILED_PRECONDITION,
                    "a server that runs commands needs a token or API keys, but writing the token to " + file
                            + " failed (" + e + "); set a writable directory with --data-dir, or create an API key with"
                            + " longhaul keys create",
                    e);
        }
    }
}
