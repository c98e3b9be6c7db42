package dev.longhaul.server;

import dev.longhaul.access.AccessStore;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.server.access.Keys;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What must hold before the doors are opened to other machines. */
public final class StartRules {
    private static final Logger LOG = LoggerFactory.getLogger(StartRules.class);

    private StartRules() {}

    static void check(AccessStore store, ServerConfig config) {
        if (onLoopback(config)) {
            return;
        }
        if (!Keys.anyValid(store)) {
            throw new LonghaulException(
                    ErrorCode.FAILED_PRECONDITION,
                    "host: " + config.listen().host()
                            + " can be reached from other machines, and there is no valid API key; "
                            + "make one first (longhaul keys create --role admin --name NAME, with the same --data-dir or "
                            + "--store), "
                            + "or name a file with a secret as --admin-key-file or in LONGHAUL_ADMIN_KEY_FILE, or use --host 127.0.0.1");
        }
        if (config.listen().tls() == null && config.callers().trustedProxies().isEmpty()) {
            LOG.warn(
                    "{} can be reached from other machines without TLS: keys and jobs can be read on the way. "
                            + "Give --tls-cert and --tls-key, or name the proxy that encrypts with --trusted-proxies",
                    config.listen().host());
        }
    }

    public static boolean onLoopback(ServerConfig config) {
        try {
            return InetAddress.getByName(config.listen().host()).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT,
                    List.of(new FieldError("host", config.listen().host(), "an address or a name of this machine")));
        }
    }
}
