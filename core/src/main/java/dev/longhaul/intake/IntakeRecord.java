package dev.longhaul.intake;

import dev.longhaul.access.Actor;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.spi.JobCommand;
import org.jspecify.annotations.Nullable;

/** A write that was accepted and is not stored yet. Storing it twice has the same effect as storing it once. */
public sealed interface IntakeRecord {
    /** The job that this record is about. Records of one job are stored in the order in which they were accepted. */
    JobId id();

    /** The caller on whose behalf the record is stored; null writes no audit entry. */
    @Nullable
    Actor actor();

    /** A new job. The spec was checked when it was accepted. */
    record Create(JobSpec spec, @Nullable Actor actor) implements IntakeRecord {
        @Override
        public JobId id() {
            return spec.id();
        }
    }

    /** A cancel or an edit of a job. Other commands are never deferred: repeating them could run a job twice. */
    record Change(JobCommand command, @Nullable Actor actor) implements IntakeRecord {
        @Override
        public JobId id() {
            return command.id();
        }
    }
}
