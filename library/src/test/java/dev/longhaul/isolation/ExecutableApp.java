package dev.longhaul.isolation;

import dev.longhaul.Longhaul;
import dev.longhaul.LonghaulBuilder;
import dev.longhaul.isolation.ChildJobs.Add;
import dev.longhaul.isolation.ChildJobs.Nothing;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobId;
import dev.longhaul.spi.JobCommand;
import java.io.IOException;
import java.time.Duration;

/** The application in the jars of {@link ExecutableJarTest}: runs isolated jobs and prints their ends. */
public final class ExecutableApp {
    static final String WAIT = "wait";

    private final Longhaul longhaul;
    private final Isolated jobs;

    private ExecutableApp(Longhaul longhaul) {
        this.longhaul = longhaul;
        this.jobs = new Isolated(longhaul);
    }

    /** Argument {@code wait}: it waits for its end after the first job. Another argument is the user of its processes. */
    public static void main(String[] arguments) throws IOException {
        String argument = arguments.length == 0 ? "" : arguments[0];
        LonghaulBuilder builder = Longhaul.builder()
                .memory()
                .logFailures(false)
                .register(ChildJobs.ADD, ChildJobs.HOG, ChildJobs.GREEDY, ChildJobs.STUBBORN, ChildJobs.WHO)
                .cancelGrace(Duration.ofMillis(100))
                .drain(Duration.ZERO);
        if (!argument.isEmpty() && !argument.equals(WAIT)) {
            builder.processUser(argument);
        }
        try (Longhaul longhaul = builder.start()) {
            var app = new ExecutableApp(longhaul);
            app.runs();
            if (argument.equals(WAIT)) {
                System.out.println("waiting: " + System.in.read());
            }
            long pid = ProcessHandle.current().pid();
            System.out.println("user " + longhaul.now(ChildJobs.WHO, pid).data());
            app.isKilled();
            app.isCancelled();
        }
    }

    private void runs() {
        JobId id = longhaul.later(ChildJobs.ADD, new Add(1, 2));
        System.out.println("it " + jobs.ended(id).state() + " " + jobs.ended(id).result() + ", logged " + jobs.log(id)
                + ", printed " + jobs.output(id).strip());
        System.out.println("this is process " + ProcessHandle.current().pid());
    }

    private void isKilled() {
        JobId hog = longhaul.later(ChildJobs.HOG, new Nothing());
        JobId greedy = longhaul.later(ChildJobs.GREEDY, new Nothing());
        for (JobId id : new JobId[] {hog, greedy}) {
            Failure failure = jobs.failure(id);
            System.out.println(failure.code() + ": " + failure.message());
        }
    }

    private void isCancelled() {
        JobId id = longhaul.later(ChildJobs.STUBBORN, new Nothing());
        jobs.await(id, job -> jobs.log(id).contains("waiting"));
        longhaul.store().jobs().execute(JobCommand.cancel(id, null, null, null));
        System.out.println("it " + jobs.ended(id).state());
    }
}
