package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import picocli.CommandLine.Mixin;

/** A command that asks a server and shows what it answers. */
abstract class Asking implements Runnable {
    final Screen screen;

    @Mixin
    ServerOptions server = new ServerOptions();

    Asking(Screen screen) {
        this.screen = screen;
    }

    /** Shows an answer to people; machines get it as it came. */
    final void show(Api.Reply reply) {
        if (server.json()) {
            screen.out().println(reply.body());
        } else {
            print(reply.json());
        }
        screen.out().flush();
    }

    abstract void print(JsonNode answer);

    /** Says how to see what comes after this page, if there is more. */
    final void more(JsonNode page) {
        if (page.hasNonNull("nextCursor")) {
            screen.err()
                    .println(
                            "There are more: --cursor " + page.get("nextCursor").asText() + " shows the next page.");
        }
    }
}
