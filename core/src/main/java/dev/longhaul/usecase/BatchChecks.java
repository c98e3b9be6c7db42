package dev.longhaul.usecase;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Checks the jobs of a batch one after the other, so that one response reports the problems of all. */
final class BatchChecks {
    private static final int MOST_PROBLEMS = 100;

    private final List<CheckedJob> jobs = new ArrayList<>();
    private final List<FieldError> problems = new ArrayList<>();
    private final Set<ErrorCode> codes = EnumSet.noneOf(ErrorCode.class);
    private int checked;
    private int omitted;

    /** Checks the next job. */
    void add(Supplier<CheckedJob> check) {
        int index = checked++;
        try {
            jobs.add(check.get());
        } catch (LonghaulException e) {
            if (e.errors().isEmpty()) {
                throw e; // Not a problem of this job: the store is unavailable, for example.
            }
            codes.add(e.code());
            e.errors().forEach(error -> note(index, error));
        }
    }

    List<CheckedJob> all() {
        if (problems.isEmpty()) {
            return jobs;
        }
        if (omitted > 0) {
            problems.add(new FieldError("jobs", omitted + " more problems", "none"));
        }
        ErrorCode code = codes.size() == 1 ? codes.iterator().next() : ErrorCode.INVALID_ARGUMENT;
        throw new LonghaulException(code, problems);
    }

    private void note(int index, FieldError error) {
        if (problems.size() == MOST_PROBLEMS) {
            omitted++;
        } else {
            problems.add(new FieldError("jobs[" + index + "]." + error.field(), error.value(), error.expected()));
        }
    }
}
