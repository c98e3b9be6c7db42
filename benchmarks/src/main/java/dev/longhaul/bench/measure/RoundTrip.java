package dev.longhaul.bench.measure;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * The control for all latencies. One connection inserts a row, notifies, and commits durably. Another connection, which
 * listens, selects that row. This is the minimum that the machine and PostgreSQL need for one job at a time, without
 * load.
 */
public final class RoundTrip {
    /** The usual median on a shared machine with two cores that is otherwise idle, in ms. */
    static final double USUAL_P50 = 1.70;

    static final double USUAL_P99 = 3.00;
    /** Factor up to which the control's duration counts as usual. */
    static final double TOLERANCE = 1.5;

    private static final int TRIPS = 2000;
    private static final int WARM_UP = 300;
    private static final int LISTEN_MILLIS = 100;
    private static final long PATIENCE_SECONDS = 10;

    private static final String SELECT = "select params from bench_control where id = ?";
    private static final String UPDATE = "update bench_control set taken = true where id = ? returning params";

    private final String answer;
    private final BlockingQueue<Long> arrivals = new LinkedBlockingQueue<>();
    private volatile boolean done;

    private RoundTrip(String answer) {
        this.answer = answer;
    }

    /** Returns the milliseconds of many round trips. */
    public static Figures measure(Bench bench) throws Exception {
        return measure(bench, SELECT, "control: insert + notify + select");
    }

    /**
     * Returns the milliseconds of round trips in which the notified connection also updates the row durably: the
     * minimum for a job that is claimed before it runs.
     */
    public static Figures measureClaiming(Bench bench) throws Exception {
        return measure(bench, UPDATE, "bare claim: insert + notify + update");
    }

    private static Figures measure(Bench bench, String answer, String name) throws Exception {
        bench.execute("create table if not exists bench_control (id bigint primary key, params text not null,"
                + " taken boolean not null default false)");
        try {
            Figures figures =
                    new RoundTrip(answer).measure(bench, bench.options().volume(TRIPS));
            bench.progress("%s, p50 %.2f ms, p99 %.2f ms", name, figures.median(), figures.percentile(99));
            return figures;
        } finally {
            bench.execute("drop table bench_control");
        }
    }

    private Figures measure(Bench bench, int trips) throws Exception {
        var millis = new ArrayList<Double>();
        try (Connection sender = bench.connect();
                Connection receiver = bench.connect();
                Statement listen = receiver.createStatement()) {
            listen.execute("listen bench_control");
            Load.seconds(() -> receive(receiver), () -> {
                try {
                    send(sender, trips, millis);
                } finally {
                    done = true;
                }
            });
        }
        return new Figures(millis);
    }

    private void send(Connection sender, int trips, List<Double> millis) throws Exception {
        try (PreparedStatement insert = sender.prepareStatement(
                "with stored as (insert into bench_control (id, params) values (?, ?) returning id)"
                        + " select pg_notify('bench_control', id::text) from stored")) {
            for (int i = -WARM_UP; i < trips; i++) {
                long start = System.nanoTime();
                insert.setLong(1, i);
                insert.setString(2, Noop.PARAMS_TEXT);
                insert.execute();
                Long arrived = arrivals.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
                if (arrived == null) {
                    throw new IllegalStateException("control: a notification did not arrive");
                }
                if (i >= 0) {
                    millis.add((arrived - start) / 1e6);
                }
            }
        }
    }

    private void receive(Connection receiver) throws SQLException {
        PGConnection notified = receiver.unwrap(PGConnection.class);
        try (PreparedStatement select = receiver.prepareStatement(answer)) {
            while (!done) {
                PGNotification[] notifications = notified.getNotifications(LISTEN_MILLIS);
                for (PGNotification one : notifications == null ? new PGNotification[0] : notifications) {
                    select.setLong(1, Long.parseLong(one.getParameter()));
                    try (var rows = select.executeQuery()) {
                        if (rows.next()) {
                            arrivals.add(System.nanoTime());
                        }
                    }
                }
            }
        }
    }
}
