package dev.longhaul.spring.web;

import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The jobs of the application under test. */
public final class Jobs {
    static final int BLOBS = 100;
    static final String BLOB = "x".repeat(200_000);

    final CountDownLatch gate = new CountDownLatch(1);
    final JobDefinition<Name, Name> greet =
            JobDefinition.of("test.greet", Name.class, Name.class).handler((name, context) -> name);
    final JobDefinition<Name, Name> gated = JobDefinition.of("test.gated", Name.class, Name.class)
            .handler((name, context) -> {
                context.emit("waiting", name);
                gate.await(30, TimeUnit.SECONDS);
                return name;
            });
    final JobDefinition<Name, Name> blobs = JobDefinition.of("test.blobs", Name.class, Name.class)
            .handler((name, context) -> {
                for (int i = 0; i < BLOBS; i++) {
                    context.emit("blob", BLOB);
                }
                return name;
            });

    record Name(String name) {}

    Longhaul start() {
        return Longhaul.builder().memory().register(greet, gated, blobs).start();
    }
}
