package dev.longhaul.examples;

import static dev.longhaul.BatchOptions.concurrency;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobResult;
import dev.longhaul.Longhaul;
import java.util.List;

/** Runs several jobs in the calling process and returns every result, in the order of the params. */
public final class Batches {
    private Batches() {}

    record Resize(String image) {}

    record Resized(String thumbnail) {}

    static final JobDefinition<Resize, Resized> RESIZE = JobDefinition.of("image.resize", Resize.class, Resized.class)
            .handler((params, context) -> {
                if (params.image().endsWith(".txt")) {
                    throw new IllegalArgumentException(params.image() + " is not an image");
                }
                return new Resized("small-" + params.image());
            });

    // region batch
    static void resize(Longhaul longhaul, List<Resize> images) {
        List<JobResult<Resized>> results = longhaul.batch(RESIZE, images, concurrency(3)); // or .stopOnError()
        for (JobResult<Resized> result : results) {
            System.out.println(result.succeeded() ? result.data() : result.summary());
        }
    }
    // endregion

    public static void main(String[] arguments) {
        try (var longhaul = Longhaul.builder().memory().register(RESIZE).start()) {
            resize(longhaul, List.of(new Resize("cat.png"), new Resize("notes.txt"), new Resize("dog.png")));
        }
    }
}
