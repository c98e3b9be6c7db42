package dev.longhaul.process.child;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobDefinitions;
import dev.longhaul.engine.ThreadExecutor;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobId;
import dev.longhaul.job.RunAt;
import dev.longhaul.spi.Outcome;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The main class of a child JVM, which runs one handler once. It reports to the worker through a socket, and exits when the
 * handler has returned or the connection is lost.
 */
public final class ChildMain {
    private static final String SOME_JOB = "01a1e363-e8b3-7000-b0a4-8cf8b9e1f89f";

    private static final JobDefinition<Void, Void> NOTHING =
            JobDefinition.of("nothing", Void.class, Void.class).handler((params, context) -> null);

    private ChildMain() {}

    /**
     * Runs a child JVM. The arguments are the socket, a file with the secret, and the provider class. If the provider
     * class is the only argument, loads the classes for a class archive and exits.
     */
    public static void main(String[] arguments) throws IOException, ReflectiveOperationException, InterruptedException {
        if (arguments.length == 1) {
            // Runs the same code as a real run, so that its classes are in the archive.
            try (Wire wire = unconnected()) {
                definitions(arguments[0]).values().forEach(definition -> rehearse(definition, wire));
            }
            return;
        }
        Path secret = Path.of(arguments[1]);
        try (Wire wire = Wire.to(UnixDomainSocketAddress.of(arguments[0]))) {
            wire.say(Word.HELLO, Files.readString(secret));
            Map<DefinitionRef, JobDefinition<?, ?>> definitions = definitions(arguments[2]);
            // Warms up before a run is assigned.
            definitions.values().forEach(definition -> rehearse(definition, wire));
            var listener = new Listener(wire);
            listener.start();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> sayExiting(wire), "longhaul-exiting"));
            wire.say(Word.READY);
            var assignment = Assignment.of(listener.awaitAssignment());
            var context = new ChildContext(assignment, wire);
            listener.attach(context);
            JobDefinition<?, ?> definition = definitions.get(assignment.definition());
            if (definition == null) {
                refuse(wire, "definition " + assignment.definition() + " is not provided by its JobDefinitions");
            } else {
                report(wire, definition, context, run(definition, assignment, context));
            }
            System.out.flush();
            System.err.flush();
            // Threads that the code has left running must not keep the process alive.
            Runtime.getRuntime().halt(0);
        }
    }

    /**
     * Reports that the JVM is shutting down normally. A JVM with a full heap exits with code 3 without this message; so
     * the worker can tell it from a job that exits with code 3.
     */
    private static void sayExiting(Wire wire) {
        try {
            wire.say(Word.EXITING);
        } catch (IOException e) {
            // The connection is closed; the worker needs no more messages.
        }
    }

    /** Loads the definitions of a provider. Their schemas are unused here: the worker validates params and results. */
    private static Map<DefinitionRef, JobDefinition<?, ?>> definitions(String provider)
            throws ReflectiveOperationException {
        Class<? extends JobDefinitions> type = Class.forName(provider).asSubclass(JobDefinitions.class);
        var found = new HashMap<DefinitionRef, JobDefinition<?, ?>>();
        type.getConstructor()
                .newInstance()
                .definitions()
                .forEach(definition -> found.put(definition.ref(), definition));
        return found;
    }

    /** Loads the classes that a run needs before a run is assigned. */
    private static void rehearse(JobDefinition<?, ?> definition, Wire wire) {
        rehearseCodecs(definition);
        var sample = new Assignment(definition.ref(), "{}", JobId.parse(SOME_JOB), 1, 1, "", Instant.EPOCH, "");
        var context = new ChildContext(Assignment.of(new Wire.Said(Word.RUN, Arrays.asList(sample.texts()))), wire);
        context.throwIfCancelled();
        new ThreadExecutor().execute(NOTHING, "null", context);
    }

    private static Wire unconnected() throws IOException {
        var address = UnixDomainSocketAddress.of("unconnected");
        ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address);
        return Wire.to(address);
    }

    private static void rehearseCodecs(JobDefinition<?, ?> definition) {
        try {
            definition.result().write(null);
            definition.params().read("{}");
        } catch (RuntimeException e) {
            // Ignored: the warm-up values may not match the types of the definition.
        }
    }

    private static Outcome run(JobDefinition<?, ?> definition, Assignment assignment, ChildContext context) {
        return ThreadExecutor.small(new ThreadExecutor().execute(definition, assignment.params(), context));
    }

    private static void report(Wire wire, JobDefinition<?, ?> definition, ChildContext context, Outcome outcome)
            throws IOException {
        if (outcome instanceof Outcome.Returned returned) {
            wire.say(Word.RETURNED, returned.result());
        } else if (outcome instanceof Outcome.Snoozed snoozed) {
            RunAt until = snoozed.until();
            wire.say(Word.SNOOZED, Times.text(until));
        } else if (outcome instanceof Outcome.Unreadable unreadable) {
            fail(wire, unreadable.failure(), null);
        } else if (outcome instanceof Outcome.Refused refused) {
            fail(wire, refused.failure(), null);
        } else if (outcome instanceof Outcome.Threw threw) {
            Throwable error = threw.error();
            Optional<Duration> delay =
                    definition.retry().delayAfter(error, context.attempt(), ThreadLocalRandom.current());
            fail(wire, Failure.of(error), delay.orElse(null));
        } else {
            throw new IllegalStateException("unexpected outcome: " + outcome);
        }
    }

    private static void refuse(Wire wire, String why) throws IOException {
        fail(wire, Failure.of(Failure.GIVEN_UP, why), null);
    }

    private static void fail(Wire wire, Failure failure, @Nullable Duration delay) throws IOException {
        wire.say(
                Word.FAILED,
                failure.code(),
                failure.message(),
                failure.type(),
                failure.stack(),
                delay == null ? null : delay.toString());
    }
}
