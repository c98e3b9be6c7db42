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

/**
 * Requires an API key if the server listens on an address that other machines can reach, and warns if there is no TLS.
 */
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
                            + " is reachable from other machines, but no valid API key exists; "
                            + "create one first (longhaul keys create --role admin --name NAME, with the same --data-dir "
                            + "or --store), "
                            + "or set --admin-key-file or LONGHAUL_ADMIN_KEY_FILE to a secret file, "
                            + "or use --host 127.0.0.1");
        }
        if (config.listen().tls() == null && config.callers().trustedProxies().isEmpty()) {
            LOG.warn(
                    "{} is reachable from other machines without TLS: API keys and jobs can be read in transit. "
                            + "Set --tls-cert and --tls-key, or set --trusted-proxies to the proxy that terminates TLS",
                    config.listen().host());
        }
    }

    public static boolean onLoopback(ServerConfig config) {
        try {
            return InetAddress.getByName(config.listen().host()).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT,
                    List.of(new FieldError("host", config.listen().host(), "an address or host name of this machine")));
        }
    }
}
