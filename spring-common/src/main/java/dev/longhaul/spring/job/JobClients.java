package dev.longhaul.spring.job;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobId;
import dev.longhaul.spring.JobClient;
import dev.longhaul.spring.JobKey;
import dev.longhaul.spring.LonghaulConfigurationException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.InjectionPoint;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;

/**
 * Creates the clients that application code injects, and finds their definitions once all are registered: a client may be
 * injected into the bean that runs its jobs.
 */
public final class JobClients {
    private final Longhaul longhaul;
    private final List<Client<?, ?>> unchecked = new ArrayList<>();
    private boolean registered;

    public JobClients(Longhaul longhaul) {
        this.longhaul = longhaul;
    }

    /** The client for an injection point. */
    public synchronized <P, R> JobClient<P, R> at(InjectionPoint point) {
        MethodParameter parameter = point.getMethodParameter();
        ResolvableType type = parameter != null
                ? ResolvableType.forMethodParameter(parameter)
                : ResolvableType.forField(Objects.requireNonNull(point.getField()));
        // The client may be wrapped, as in ObjectProvider<JobClient<P, R>>.
        ResolvableType client = type;
        while (client.resolve() != JobClient.class && client.hasGenerics()) {
            client = client.getGeneric(0);
        }
        JobKey key = point.getAnnotation(JobKey.class);
        var created =
                new Client<P, R>(client.getGeneric(0), client.getGeneric(1), key == null ? null : key.value(), point);
        if (registered) {
            created.definition();
        } else {
            unchecked.add(created);
        }
        return created;
    }

    /** Finds the definitions of all clients that were injected before the definitions were registered. */
    public synchronized void registered() {
        registered = true;
        unchecked.forEach(Client::definition);
        unchecked.clear();
    }

    private final class Client<P, R> implements JobClient<P, R> {
        private final ResolvableType params;
        private final ResolvableType result;
        private final @Nullable String key;
        private final InjectionPoint point;
        private volatile @Nullable JobDefinition<P, R> definition;

        Client(ResolvableType params, ResolvableType result, @Nullable String key, InjectionPoint point) {
            this.params = params;
            this.result = result;
            this.key = key;
            this.point = point;
        }

        @Override
        public JobId later(P given, JobOptions options) {
            return longhaul.later(definition(), given, options);
        }

        @Override
        @SuppressWarnings("unchecked") // The types of the definition have been compared.
        public JobDefinition<P, R> definition() {
            JobDefinition<P, R> found = definition;
            if (found == null) {
                found = (JobDefinition<P, R>) find();
                definition = found;
            }
            return found;
        }

        private JobDefinition<?, ?> find() {
            List<String> keys = longhaul.registry().all().stream()
                    .filter(this::fits)
                    .map(one -> one.ref().key())
                    .distinct()
                    .toList();
            Optional<JobDefinition<?, ?>> latest =
                    keys.size() == 1 ? longhaul.registry().latest(keys.get(0)).filter(this::fits) : Optional.empty();
            return latest.orElseThrow(() -> refused(keys));
        }

        private boolean fits(JobDefinition<?, ?> one) {
            return (key == null || key.equals(one.ref().key()))
                    && fits(params, one.params().type())
                    && fits(result, one.result().type());
        }

        private boolean fits(ResolvableType requested, Class<?> actual) {
            Class<?> type = requested.resolve();
            return type == null || type == actual;
        }

        private LonghaulConfigurationException refused(List<String> keys) {
            String client = "JobClient<" + params + ", " + result + ">" + (key == null ? "" : " of " + key);
            String place = point.getMember().getDeclaringClass().getName() + "."
                    + point.getMember().getName();
            return new LonghaulConfigurationException(
                    client + " in " + place + ": " + keys.size() + " definitions have these types " + keys,
                    keys.isEmpty()
                            ? "Declare a definition with these types; registered are "
                                    + new TreeSet<>(longhaul.registry().names()) + "."
                            : "Choose one with @JobKey(\"" + keys.get(0) + "\").");
        }
    }
}
