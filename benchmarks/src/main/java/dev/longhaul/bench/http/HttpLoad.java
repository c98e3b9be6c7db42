package dev.longhaul.bench.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.bench.measure.Figures;
import dev.longhaul.bench.measure.Load;
import dev.longhaul.bench.measure.Noop;
import dev.longhaul.bench.measure.OtherJvm;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A load generator in a separate JVM. Each connection sends its next request when the last response has arrived. */
final class HttpLoad {
    private final int port;
    private final int jobs;

    private HttpLoad(int port, int jobs) {
        this.port = port;
        this.jobs = jobs;
    }

    /** The result of a load. */
    record Report(long jobs, double seconds, double p50Millis, double p99Millis) {
        double jobsPerSecond() {
            return jobs / seconds;
        }
    }

    static Report inAnotherProcess(int port, int connections, int jobs, double seconds) throws Exception {
        Process process = OtherJvm.start(HttpLoad.class, port, connections, jobs, seconds);
        try (var from = process.inputReader(UTF_8)) {
            String[] line = Objects.requireNonNull(from.readLine(), "the load generator printed nothing")
                    .split(" ", -1);
            return new Report(
                    Long.parseLong(line[0]),
                    Double.parseDouble(line[1]),
                    Double.parseDouble(line[2]),
                    Double.parseDouble(line[3]));
        } finally {
            process.destroy();
        }
    }

    public static void main(String[] args) throws Exception {
        int connections = Integer.parseInt(args[1]);
        int jobs = Integer.parseInt(args[2]);
        long nanos = (long) (Double.parseDouble(args[3]) * 1e9);
        var load = new HttpLoad(Integer.parseInt(args[0]), jobs);
        var waits = Collections.synchronizedList(new ArrayList<Double>());
        var work = new Load.Work[connections];
        for (int i = 0; i < connections; i++) {
            work[i] = () -> waits.addAll(load.requests(nanos));
        }
        double seconds = Load.seconds(work);
        var figures = new Figures(waits);
        System.out.printf(
                Locale.ROOT,
                "%d %.3f %.3f %.3f%n",
                (long) waits.size() * jobs,
                seconds,
                figures.median(),
                figures.percentile(99));
    }

    /** Sends requests for that time; returns how many milliseconds each took. */
    private List<Double> requests(long nanos) throws IOException {
        var waits = new ArrayList<Double>();
        byte[] request = request();
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            var in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
            long until = System.nanoTime() + nanos;
            while (System.nanoTime() - until < 0) {
                long start = System.nanoTime();
                socket.getOutputStream().write(request);
                readAnswer(in);
                waits.add((System.nanoTime() - start) / 1e6);
            }
        }
        return waits;
    }

    private byte[] request() {
        String one = "{\"definitionKey\":\"" + Noop.KEY + "\",\"params\":" + Noop.PARAMS_TEXT + "}";
        String body = jobs == 1
                ? one
                : IntStream.range(0, jobs).mapToObj(n -> one).collect(Collectors.joining(",", "{\"jobs\":[", "]}"));
        String head = "POST " + (jobs == 1 ? "/v1/jobs" : "/v1/jobs/batch") + " HTTP/1.1\r\nHost: 127.0.0.1:" + port
                + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n";
        return (head + body).getBytes(ISO_8859_1);
    }

    private static void readAnswer(InputStream in) throws IOException {
        String status = line(in);
        long length = 0;
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
            if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length =
                        Long.parseLong(header.substring(header.indexOf(':') + 1).strip());
            }
        }
        if (!status.startsWith("HTTP/1.1 202")) {
            String body = new String(in.readNBytes((int) Math.min(length, 2000)), UTF_8);
            throw new IOException("response: " + status + " " + body + " (expected: 202)");
        }
        in.skipNBytes(length);
    }

    private static String line(InputStream in) throws IOException {
        var line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the server closed the connection");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }
}
