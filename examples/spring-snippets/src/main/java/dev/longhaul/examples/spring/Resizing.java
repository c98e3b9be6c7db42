package dev.longhaul.examples.spring;

import static dev.longhaul.JobOptions.options;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobId;
import dev.longhaul.spring.JobClient;
import dev.longhaul.spring.JobKey;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Service;

/** A definition as a bean, and three ways to enqueue its jobs. */
@Configuration(proxyBeanMethods = false)
public class Resizing {
    record Resize(String image, int width) {}

    record Resized(String image) {}

    interface Images {
        String resize(String image, int width);

        void report(String failure);
    }

    // region bean
    @Bean
    JobDefinition<Resize, Resized> resize(Images images) {
        return JobDefinition.of("image.resize", Resize.class, Resized.class)
                .timeout(ofMinutes(5))
                .onFail((context, failure) -> images.report(failure.message()))
                .handler((params, context) -> new Resized(images.resize(params.image(), params.width())));
    }
    // endregion

    // region enqueue
    @Service
    static class Uploads {
        private final JobClient<Resize, Resized> resizes;
        private final Longhaul longhaul;

        Uploads(@JobKey("image.resize") JobClient<Resize, Resized> resizes, Longhaul longhaul) {
            this.resizes = resizes;
            this.longhaul = longhaul;
        }

        JobId soon(String image) {
            return resizes.later(new Resize(image, 640));
        }

        JobId tonight(String image) {
            JobOptions once = options().delay(ofHours(8)).idempotencyKey("resize/" + image);
            return resizes.later(new Resize(image, 1920), once);
        }

        JobId byKey(String image) {
            return longhaul.later("image.resize", new Resize(image, 320)); // checked when it is called
        }
    }
    // endregion
}
