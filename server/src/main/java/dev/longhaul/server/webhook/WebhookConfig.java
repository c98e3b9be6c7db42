package dev.longhaul.server.webhook;

import dev.longhaul.error.Problems;
import dev.longhaul.server.outbound.AddressRules;
import dev.longhaul.webhook.EventSink;
import dev.longhaul.webhook.SendingRules;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of webhook deliveries.
 *
 * @param networks CIDR blocks that are allowed although they are not public; plain HTTP and any port are allowed there
 * @param atOnce maximum number of concurrent deliveries to one webhook
 * @param timeout how long a receiver may take to respond
 * @param topics sends to topics; null rejects deliveries to them
 */
public record WebhookConfig(
        List<String> networks,
        int atOnce,
        Duration timeout,
        SendingRules rules,
        @Nullable EventSink topics) {
    public static final WebhookConfig USUAL =
            new WebhookConfig(List.of(), 4, Duration.ofSeconds(10), SendingRules.USUAL);

    private static final int MOST_AT_ONCE = 100;

    public WebhookConfig {
        networks = List.copyOf(networks);
        new Problems()
                .require(
                        networks.stream().allMatch(AddressRules::isBlock),
                        "webhookNetworks",
                        networks,
                        "CIDR blocks such as 10.1.0.0/16")
                .require(atOnce >= 1 && atOnce <= MOST_AT_ONCE, "atOnce", atOnce, "1 to " + MOST_AT_ONCE)
                .require(timeout.compareTo(Duration.ZERO) > 0, "timeout", timeout, "> 0")
                .throwIfAny();
    }

    /** Settings without topics. */
    public WebhookConfig(List<String> networks, int atOnce, Duration timeout, SendingRules rules) {
        this(networks, atOnce, timeout, rules, null);
    }

    public WebhookConfig withNetworks(List<String> blocks) {
        return new WebhookConfig(blocks, atOnce, timeout, rules, topics);
    }

    public WebhookConfig withTopics(@Nullable EventSink sink) {
        return new WebhookConfig(networks, atOnce, timeout, rules, sink);
    }
}
