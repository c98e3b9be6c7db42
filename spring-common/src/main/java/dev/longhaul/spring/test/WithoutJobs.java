package dev.longhaul.spring.test;

import dev.longhaul.spring.LonghaulJob;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.TypeExcludeFilter;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/** Leaves scanned components without annotated jobs out of a slice. */
final class WithoutJobs extends TypeExcludeFilter {
    @Override
    public boolean match(MetadataReader reader, MetadataReaderFactory factory) throws IOException {
        return !reader.getAnnotationMetadata().hasAnnotatedMethods(LonghaulJob.class.getName());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof WithoutJobs;
    }

    @Override
    public int hashCode() {
        return WithoutJobs.class.hashCode();
    }
}
