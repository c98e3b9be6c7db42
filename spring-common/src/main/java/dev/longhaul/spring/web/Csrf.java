package dev.longhaul.spring.web;

/** The token that Spring Security requires for changes, and the header in which the dashboard sends it. */
public record Csrf(String header, String token) {}
