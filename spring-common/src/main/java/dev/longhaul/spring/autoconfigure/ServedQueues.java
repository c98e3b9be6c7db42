package dev.longhaul.spring.autoconfigure;

import dev.longhaul.engine.WorkerConfig;
import dev.longhaul.spring.LonghaulConfigurationException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the queues to serve, each with the most slots it may use: {@code mail, reports:4}. */
final class ServedQueues {
    private ServedQueues() {}

    static Map<String, Integer> parse(List<String> texts) {
        Map<String, Integer> queues = new LinkedHashMap<>();
        for (String text : texts) {
            int colon = text.indexOf(':');
            String queue = (colon < 0 ? text : text.substring(0, colon)).trim();
            queues.put(queue, colon < 0 ? WorkerConfig.ANY : slots(text, text.substring(colon + 1)));
        }
        return queues;
    }

    private static int slots(String queue, String text) {
        try {
            return Integer.parseInt(text.trim());
        } catch (NumberFormatException e) {
            throw new LonghaulConfigurationException(
                    "longhaul.queues: " + queue,
                    "Give each queue as its name, or as name:slots with a number, such as reports:4.",
                    e);
        }
    }
}
