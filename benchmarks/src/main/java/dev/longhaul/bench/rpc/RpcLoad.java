package dev.longhaul.bench.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.bench.measure.Figures;
import dev.longhaul.bench.measure.Load;
import dev.longhaul.bench.measure.OtherJvm;
import dev.longhaul.client.LonghaulClient;
import dev.longhaul.client.WireTime;
import dev.longhaul.rpc.v1.CompleteJobRequest;
import dev.longhaul.rpc.v1.DequeueJobRequest;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.EnqueueJobRequest;
import dev.longhaul.rpc.v1.EventType;
import dev.longhaul.rpc.v1.JobEventsServiceGrpc;
import dev.longhaul.rpc.v1.JobServiceGrpc;
import dev.longhaul.rpc.v1.NewEvent;
import dev.longhaul.rpc.v1.PublishJobEventsRequest;
import dev.longhaul.rpc.v1.PublishJobEventsResponse;
import dev.longhaul.rpc.v1.StreamJobEventsRequest;
import dev.longhaul.rpc.v1.StreamJobEventsResponse;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import java.io.BufferedReader;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** Clients of the RPC services in a separate JVM. */
final class RpcLoad implements AutoCloseable {
    private static final String READY = "ready";
    private static final String QUEUE = "bench";
    private static final Duration WAIT = Duration.ofSeconds(5);
    private static final int CONNECTIONS = 10;
    private static final int EVENTS = 250;
    /** Number of jobs that are stored before workers start, per second of the measurement. */
    private static final int MOST_PER_SECOND = 2000;

    private static final int MOST_PER_WORKER = 400;
    /** Factor by which clients run longer than they are measured, so that the warm-up of the JVM is excluded. */
    private static final double WARM_UP = 1.7;

    private final Process process;
    private final BufferedReader from;

    private RpcLoad(Process process) {
        this.process = process;
        this.from = process.inputReader(UTF_8);
    }

    static RpcLoad inAnotherProcess(int port, String what, int clients, double seconds) throws Exception {
        return new RpcLoad(OtherJvm.start(RpcLoad.class, port, what, clients, seconds));
    }

    void awaitReady() throws Exception {
        String line = from.readLine();
        if (!READY.equals(line)) {
            throw new IllegalStateException("the clients printed " + line + " (expected: " + READY + ")");
        }
    }

    double[] figures() throws Exception {
        awaitReady();
        String line = Objects.requireNonNull(from.readLine(), "the clients exited early");
        return Arrays.stream(line.split(" ", -1))
                .mapToDouble(Double::parseDouble)
                .toArray();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    // Main method of the other process

    public static void main(String[] args) throws Exception {
        URI server = URI.create("http://127.0.0.1:" + args[0]);
        int clients = Integer.parseInt(args[2]);
        double seconds = Double.parseDouble(args[3]);
        try (var client = LonghaulClient.connect(server, null)) {
            double[] figures = switch (args[1]) {
                case "roundTrips" -> roundTrips(client, clients, seconds, false);
                case "strangers" -> roundTrips(client, clients, seconds, true);
                case "empty" -> empty(client, clients, seconds);
                case "emptyMillis" -> emptyMillis(client, seconds);
                case "pickup" -> pickup(client, seconds);
                case "events" -> events(client, clients, seconds);
                case "standing" -> standing(server, clients, seconds);
                default -> throw new IllegalArgumentException(args[1]);
            };
            var line = new StringBuilder();
            for (double figure : figures) {
                line.append(line.isEmpty() ? "" : " ").append(String.format(Locale.ROOT, "%.3f", figure));
            }
            System.out.println(line);
        }
        System.exit(0);
    }

    private static void ready() {
        System.out.println(READY);
    }

    private static DequeueJobRequest dequeue(String queue) {
        return DequeueJobRequest.newBuilder()
                .setQueue(queue)
                .setMaxJobs(1)
                .setWait(WireTime.of(WAIT))
                .build();
    }

    private static String enqueue(JobServiceGrpc.JobServiceBlockingStub jobs, String queue) {
        return jobs.enqueueJob(EnqueueJobRequest.newBuilder()
                        .setQueue(queue)
                        .setParams("{}")
                        .build())
                .getJobId();
    }

    private static void complete(JobServiceGrpc.JobServiceBlockingStub jobs, DequeueJobResponse task) {
        var unused = jobs.completeJob(CompleteJobRequest.newBuilder()
                .setTaskToken(task.getTaskToken())
                .setJobId(task.getJobId())
                .setSucceeded(CompleteJobRequest.Succeeded.newBuilder().setResult("{}"))
                .build());
    }

    /** Measures workers that repeatedly take a job and end it. Enough jobs are stored before the workers start. */
    private static double[] roundTrips(LonghaulClient client, int workers, double seconds, boolean ownNames)
            throws Exception {
        var jobs = JobServiceGrpc.newBlockingStub(client.channel());
        String queue = QUEUE + workers;
        fill(client, queue, (int) (WARM_UP * seconds * Math.min(MOST_PER_SECOND, workers * MOST_PER_WORKER)));
        return rate(workers, seconds, (worker, done) -> {
            var request = dequeue(queue).toBuilder()
                    .setWorkerId(ownNames ? "worker-" + worker : "")
                    .build();
            jobs.dequeueJob(request).forEachRemaining(task -> {
                complete(jobs, task);
                done.run();
            });
        });
    }

    /** Makes the calls of one of many callers, and reports completed calls. */
    private interface Caller {
        void call(int number, Runnable done);
    }

    /** Returns how many calls per second these callers complete together. Each repeats its call in a loop. */
    private static double[] rate(int callers, double seconds, Caller caller) throws Exception {
        ready();
        var done = new AtomicLong();
        long from = System.nanoTime() + (long) ((WARM_UP - 1) * seconds * 1e9);
        long until = from + (long) (seconds * 1e9);
        Runnable count = () -> done.addAndGet(System.nanoTime() - from > 0 ? 1 : 0);
        var work = new Load.Work[callers];
        Arrays.setAll(work, number -> (Load.Work) () -> {
            while (System.nanoTime() - until < 0) {
                caller.call(number, count);
            }
        });
        double unused = Load.seconds(work);
        return new double[] {done.get() / ((System.nanoTime() - from) / 1e9)};
    }

    private static void fill(LonghaulClient client, String queue, int count) throws Exception {
        var jobs = JobServiceGrpc.newBlockingStub(client.channel());
        var left = new AtomicLong(count);
        var work = new Load.Work[64];
        Arrays.fill(work, (Load.Work) () -> {
            while (left.decrementAndGet() >= 0) {
                enqueue(jobs, queue);
            }
        });
        Load.seconds(work);
    }

    private static double[] empty(LonghaulClient client, int callers, double seconds) throws Exception {
        var health = HealthGrpc.newBlockingStub(client.channel());
        return rate(callers, seconds, (caller, done) -> {
            var unused = health.check(HealthCheckRequest.getDefaultInstance());
            done.run();
        });
    }

    private static double[] emptyMillis(LonghaulClient client, double seconds) throws Exception {
        var health = HealthGrpc.newBlockingStub(client.channel());
        ready();
        var waits = new ArrayList<Double>();
        long from = System.nanoTime() + (long) ((WARM_UP - 1) * seconds * 1e9);
        long until = from + (long) (seconds * 1e9);
        while (System.nanoTime() - until < 0) {
            long start = System.nanoTime();
            var unused = health.check(HealthCheckRequest.getDefaultInstance());
            if (start - from > 0) {
                waits.add((System.nanoTime() - start) / 1e6);
            }
            Thread.sleep(5);
        }
        var figures = new Figures(waits);
        return new double[] {figures.median(), figures.percentile(99)};
    }

    /** Measures how fast a waiting worker gets jobs that are submitted one by one. */
    private static double[] pickup(LonghaulClient client, double seconds) throws Exception {
        var jobs = JobServiceGrpc.newBlockingStub(client.channel());
        var waits = Collections.synchronizedList(new ArrayList<Double>());
        var sentAt = new AtomicLong();
        var worker = new Thread(() -> {
            while (true) {
                jobs.dequeueJob(dequeue("pickup")).forEachRemaining(task -> {
                    waits.add((System.nanoTime() - sentAt.get()) / 1e6);
                    complete(jobs, task);
                });
            }
        });
        worker.setDaemon(true);
        worker.start();
        ready();
        long from = System.nanoTime() + (long) ((WARM_UP - 1) * seconds * 1e9);
        long until = from + (long) (seconds * 1e9);
        int warmUps = 0;
        while (System.nanoTime() - until < 0) {
            Thread.sleep(30);
            int before = waits.size();
            warmUps = System.nanoTime() - from < 0 ? before + 1 : warmUps;
            sentAt.set(System.nanoTime());
            enqueue(jobs, "pickup");
            while (waits.size() == before) {
                Thread.onSpinWait();
            }
        }
        var figures = new Figures(List.copyOf(waits.subList(warmUps, waits.size())));
        return new double[] {figures.median(), figures.percentile(99)};
    }

    /** Measures one worker that publishes events as fast as it can, and streams that receive them. */
    private static double[] events(LonghaulClient client, int streams, double seconds) throws Exception {
        var jobs = JobServiceGrpc.newBlockingStub(client.channel());
        var events = JobEventsServiceGrpc.newStub(client.channel());
        enqueue(jobs, "events");
        DequeueJobResponse task = jobs.dequeueJob(dequeue("events")).next();
        var received = new AtomicLong();
        var ended = new CountDownLatch(streams + 1);
        for (int i = 0; i < streams; i++) {
            events.streamJobEvents(
                    StreamJobEventsRequest.newBuilder()
                            .setJobId(task.getJobId())
                            .build(),
                    new Ending<StreamJobEventsResponse>(ended) {
                        @Override
                        public void onNext(StreamJobEventsResponse message) {
                            received.addAndGet(message.getEventsCount());
                        }
                    });
        }
        ready();
        long start = System.nanoTime();
        var publisher = new Publisher(task, start + (long) (seconds * 1e9), ended);
        events.publishJobEvents(publisher);
        publisher.stored.await();
        double took = (System.nanoTime() - start) / 1e9;
        complete(jobs, task);
        ended.await();
        double tookAll = (System.nanoTime() - start) / 1e9;
        return new double[] {publisher.sequence / took, received.get() / tookAll};
    }

    /** Counts down a latch once its call has ended. */
    private abstract static class Ending<T> implements StreamObserver<T> {
        private final CountDownLatch ended;

        Ending(CountDownLatch ended) {
            this.ended = ended;
        }

        @Override
        public void onError(Throwable failure) {
            failure.printStackTrace();
            ended.countDown();
        }

        @Override
        public void onCompleted() {
            ended.countDown();
        }
    }

    /** Sends the next batch whenever the stream is ready. */
    private static final class Publisher extends Ending<PublishJobEventsResponse>
            implements ClientResponseObserver<PublishJobEventsRequest, PublishJobEventsResponse> {
        final CountDownLatch stored = new CountDownLatch(1);
        private final DequeueJobResponse task;
        private final long until;
        int sequence;

        Publisher(DequeueJobResponse task, long until, CountDownLatch ended) {
            super(ended);
            this.task = task;
            this.until = until;
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<PublishJobEventsRequest> to) {
            to.setOnReadyHandler(() -> {
                while (to.isReady()) {
                    if (System.nanoTime() - until > 0) {
                        to.onCompleted();
                        return;
                    }
                    to.onNext(batch());
                }
            });
        }

        private PublishJobEventsRequest batch() {
            var batch = PublishJobEventsRequest.newBuilder().setTaskToken(task.getTaskToken());
            for (int i = 0; i < EVENTS; i++) {
                batch.addEvents(NewEvent.newBuilder()
                        .setSequence(++sequence)
                        .setType(EventType.EVENT_TYPE_CUSTOM)
                        .setTime(WireTime.of(Instant.now()))
                        .setPayload("{\"message\":\"number " + sequence + "\"}"));
            }
            return batch.build();
        }

        @Override
        public void onNext(PublishJobEventsResponse response) {
            stored.countDown();
        }
    }

    /** Opens polls and streams that wait and never receive anything. There are ten streams per job. */
    private static double[] standing(URI server, int each, double seconds) throws Exception {
        var clients = new ArrayList<LonghaulClient>();
        for (int i = 0; i < CONNECTIONS; i++) {
            clients.add(LonghaulClient.connect(server, null));
        }
        var jobs = JobServiceGrpc.newBlockingStub(clients.get(0).channel());
        var begun = new CountDownLatch(each);
        var ids = new ArrayList<String>();
        for (int i = 0; i < each / 10; i++) {
            ids.add(enqueue(jobs, "standing"));
        }
        for (int i = 0; i < each; i++) {
            var channel = clients.get(i % CONNECTIONS).channel();
            JobEventsServiceGrpc.newStub(channel)
                    .streamJobEvents(
                            StreamJobEventsRequest.newBuilder()
                                    .setJobId(ids.get(i / 10))
                                    .build(),
                            new Ending<StreamJobEventsResponse>(new CountDownLatch(1)) {
                                @Override
                                public void onNext(StreamJobEventsResponse message) {
                                    begun.countDown();
                                }
                            });
            poll(JobServiceGrpc.newStub(channel));
        }
        begun.await();
        ready();
        Thread.sleep((long) (1000 * seconds));
        return new double[] {0};
    }

    /** Polls in a loop, each time with the longest wait. */
    private static void poll(JobServiceGrpc.JobServiceStub jobs) {
        var request = dequeue("nothing").toBuilder()
                .setWait(WireTime.of(Duration.ofSeconds(30)))
                .build();
        jobs.dequeueJob(request, new StreamObserver<DequeueJobResponse>() {
            @Override
            public void onNext(DequeueJobResponse task) {}

            @Override
            public void onError(Throwable failure) {
                failure.printStackTrace();
            }

            @Override
            public void onCompleted() {
                poll(jobs);
            }
        });
    }
}
