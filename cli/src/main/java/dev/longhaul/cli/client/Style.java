package dev.longhaul.cli.client;

/** A colour or weight of text on a terminal. */
public enum Style {
    PLAIN(""),
    BOLD("1"),
    FAINT("2"),
    RED("31"),
    GREEN("32"),
    YELLOW("33"),
    CYAN("36");

    private final String parameter;

    Style(String parameter) {
        this.parameter = parameter;
    }

    /** Returns the style for the status of a job or a run, or for another state with the same meaning. */
    public static Style ofStatus(String status) {
        return switch (status) {
            case "succeeded", "active", "delivered", "enabled" -> GREEN;
            case "failed", "lost", "dead", "parked" -> RED;
            case "running" -> CYAN;
            case "retrying", "cancelling", "draining", "pending" -> YELLOW;
            case "cancelled", "created", "scheduled", "gone", "revoked", "disabled" -> FAINT;
            default -> PLAIN;
        };
    }

    String on(String text) {
        return this == PLAIN || text.isEmpty() ? text : "\u001b[" + parameter + "m" + text + "\u001b[0m";
    }
}
