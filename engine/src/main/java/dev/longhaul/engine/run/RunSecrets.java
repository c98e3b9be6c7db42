package dev.longhaul.engine.run;

import dev.longhaul.JobDefinition;
import dev.longhaul.job.JobSpec;
import dev.longhaul.json.JobSecrets;
import dev.longhaul.json.LiveSecrets;
import dev.longhaul.json.Secrets;
import java.util.ArrayList;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The secrets of a run: those of its params, and those that its code adds. From their first use until {@link #forget},
 * they are removed from the log of the process.
 */
final class RunSecrets {
    private final JobSpec job;
    private final JobDefinition<?, ?> definition;
    private volatile @Nullable Secrets all;
    private boolean forgotten;

    RunSecrets(JobSpec job, JobDefinition<?, ?> definition) {
        this.job = job;
        this.definition = definition;
    }

    Secrets all() {
        Secrets known = all;
        return known == null ? ofParams() : known;
    }

    private synchronized Secrets ofParams() {
        Secrets known = all;
        if (known == null) {
            known = JobSecrets.parse(job.secrets())
                    .secretsIn(job.params(), definition.params().schema());
            keep(known);
        }
        return known;
    }

    synchronized void add(Collection<String> values) {
        if (!values.isEmpty()) {
            var more = new ArrayList<>(all().values());
            more.addAll(values);
            keep(Secrets.of(more));
        }
    }

    private void keep(Secrets secrets) {
        all = secrets;
        if (!forgotten) {
            LiveSecrets.remember(this, secrets);
        }
    }

    /** Removes them from the log again, because the code starts although they were forgotten. */
    synchronized void remember() {
        forgotten = false;
        Secrets known = all;
        if (known != null) {
            keep(known);
        }
    }

    /** Stops removing them from the log, because nothing will log them any more. */
    synchronized void forget() {
        forgotten = true;
        LiveSecrets.forget(this);
    }
}
