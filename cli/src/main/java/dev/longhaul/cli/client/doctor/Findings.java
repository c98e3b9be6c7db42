package dev.longhaul.cli.client.doctor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.cli.client.Json;
import dev.longhaul.cli.client.Screen;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The results of the checks. A result has a level, a subject, a detail and, if the check failed, advice. */
final class Findings {
    private static final String OK = "ok";
    private static final String SKIP = "skip";
    private static final String WARN = "warn";
    private static final String FAIL = "fail";

    private final List<Finding> all = new ArrayList<>();

    private record Finding(String level, String subject, String detail, String advice) {}

    void ok(String subject, String detail) {
        all.add(new Finding(OK, subject, detail, ""));
    }

    void skip(String subject, String detail) {
        all.add(new Finding(SKIP, subject, detail, ""));
    }

    void warn(String subject, String detail, String advice) {
        all.add(new Finding(WARN, subject, detail, advice));
    }

    void fail(String subject, @Nullable String detail, String advice) {
        all.add(new Finding(FAIL, subject, String.valueOf(detail), advice));
    }

    /**
     * Adds a check that must pass.
     *
     * @param advice how to fix the problem, printed if the check fails
     */
    void expect(boolean fine, String subject, String detail, String advice) {
        all.add(new Finding(fine ? OK : FAIL, subject, detail, fine ? "" : advice));
    }

    /** Adds a check like {@link #expect} whose failure is only a warning. */
    void prefer(boolean fine, String subject, String detail, String advice) {
        all.add(new Finding(fine ? OK : WARN, subject, detail, fine ? "" : advice));
    }

    boolean failed() {
        return all.stream().anyMatch(finding -> finding.level.equals(FAIL));
    }

    void print(Screen screen) {
        for (Finding finding : all) {
            String advice = finding.advice.isEmpty() ? "" : " -> " + finding.advice;
            screen.out()
                    .printf(
                            "%-4s  %-12s  %s%n",
                            finding.level, finding.subject, Screen.withoutControls(finding.detail) + advice);
        }
        screen.out().flush();
    }

    String json() {
        ObjectNode root = Json.object();
        var checks = root.putArray("checks");
        for (Finding finding : all) {
            checks.addObject()
                    .put("level", finding.level)
                    .put("subject", finding.subject)
                    .put("detail", finding.detail)
                    .put("advice", finding.advice);
        }
        return root.toString();
    }
}
