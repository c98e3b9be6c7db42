package dev.longhaul.server.outbound;

import com.linecorp.armeria.common.util.InetAddressPredicates;
import io.netty.util.NetUtil;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Rules that decide which addresses a webhook or an http job may reach: public addresses, and those that the operator
 * allows.
 */
public final class AddressRules {
    /**
     * Addresses that are not public: this host, private, shared, link-local (with cloud metadata services),
     * documentation, multicast.
     */
    private static final List<Predicate<InetAddress>> REFUSED_V4 = blocks(
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",
            "240.0.0.0/4",
            // An internal address of Azure, although it is public: every virtual machine there can reach it.
            "168.63.129.16/32");

    /**
     * The public addresses of IPv6. All others are unassigned, local, or contain an IPv4 address (mapped, compatible,
     * NAT64).
     */
    private static final List<Predicate<InetAddress>> GLOBAL_V6 = blocks("2000::/3");

    /**
     * Exceptions from the public addresses: Teredo and other protocols, documentation, and 6to4, which contains an IPv4
     * address.
     */
    private static final List<Predicate<InetAddress>> REFUSED_V6 =
            blocks("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20");

    private final List<Predicate<InetAddress>> allowed;
    private final String setting;

    /**
     * Creates rules with the networks that the operator allows.
     *
     * @param setting the name of the setting that contains the networks, for error messages
     */
    public AddressRules(List<String> networks, String setting) {
        this.allowed = networks.stream().map(AddressRules::block).toList();
        this.setting = setting;
    }

    String setting() {
        return setting;
    }

    public static boolean isBlock(String text) {
        try {
            InetAddressPredicates.ofCidr(text);
            return NetUtil.createInetAddressFromIpAddressString(text.substring(0, text.indexOf('/'))) != null;
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            return false;
        }
    }

    /** Returns whether the operator allows the address. */
    boolean named(InetAddress address) {
        return any(allowed, address);
    }

    static boolean open(InetAddress address) {
        return address instanceof Inet4Address
                ? !any(REFUSED_V4, address)
                : any(GLOBAL_V6, address) && !any(REFUSED_V6, address);
    }

    private static boolean any(List<Predicate<InetAddress>> blocks, InetAddress address) {
        return blocks.stream().anyMatch(block -> block.test(address));
    }

    private static List<Predicate<InetAddress>> blocks(String... texts) {
        return Stream.of(texts).map(AddressRules::block).toList();
    }

    /** Returns a filter that matches addresses of the block. It never converts between IPv4 and IPv6. */
    private static Predicate<InetAddress> block(String text) {
        boolean v4 = text.indexOf(':') < 0;
        Predicate<InetAddress> within = InetAddressPredicates.ofCidr(text);
        return address -> (address instanceof Inet4Address) == v4 && within.test(address);
    }
}
