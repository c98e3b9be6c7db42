package dev.longhaul.bench.measure;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The maximum rates of PostgreSQL, measured by {@code Ceiling}. */
public final class CeilingRates {
    public static final List<String> CASES = List.of("enqueue", "drain", "both");

    private static final Pattern LINE = Pattern.compile("\"ceiling\":\"(\\w+)\",\"jobs\":\\d+,\"jobs_per_s\":(\\d+)");

    private CeilingRates() {}

    /**
     * Runs {@code Ceiling} and parses its output: jobs per second of each case. Loads the class by name, because code
     * cannot import a class that is in no package.
     */
    public static Map<String, Double> measure(Bench bench, int jobs) throws Exception {
        var printed = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            Class.forName("Ceiling").getMethod("main", String[].class).invoke(null, (Object)
                    new String[] {bench.url(), String.valueOf(jobs)});
        } finally {
            System.setOut(before);
        }
        var rates = new HashMap<String, Double>();
        Matcher line = LINE.matcher(printed.toString(StandardCharsets.UTF_8));
        while (line.find()) {
            rates.put(line.group(1), Double.valueOf(line.group(2)));
        }
        if (!rates.keySet().containsAll(CASES)) {
            throw new IllegalStateException("ceiling: " + printed + " (expected: the cases " + CASES + ")");
        }
        return rates;
    }
}
