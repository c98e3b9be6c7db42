package dev.longhaul.enqueue;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.JobSpec;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Checks the jobs of a batch one after the other, so that its author learns of the problems of all in one answer. */
final class BatchChecks {
    private static final int MOST_PROBLEMS = 100;

    private final List<JobSpec> specs = new ArrayList<>();
    private final List<FieldError> problems = new ArrayList<>();
    private final Set<ErrorCode> codes = EnumSet.noneOf(ErrorCode.class);
    private int checked;
    private int untold;

    /** Checks the next job; one that needs no storing has no spec. */
    void add(Supplier<Optional<JobSpec>> check) {
        int index = checked++;
        try {
            check.get().ifPresent(specs::add);
        } catch (LonghaulException e) {
            if (e.errors().isEmpty()) {
                throw e; // Nothing about this job: the store is out of reach, say.
            }
            codes.add(e.code());
            e.errors().forEach(error -> note(index, error));
        }
    }

    List<JobSpec> all() {
        if (problems.isEmpty()) {
            return specs;
        }
        if (untold > 0) {
            problems.add(new FieldError("jobs", untold + " more problems", "none"));
        }
        ErrorCode code = codes.size() == 1 ? codes.iterator().next() : ErrorCode.INVALID_ARGUMENT;
        throw new LonghaulException(code, problems);
    }

    private void note(int index, FieldError error) {
        if (problems.size() == MOST_PROBLEMS) {
            untold++;
        } else {
            problems.add(new FieldError("jobs[" + index + "]." + error.field(), error.value(), error.expected()));
        }
    }
}
