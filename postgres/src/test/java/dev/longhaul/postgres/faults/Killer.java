package dev.longhaul.postgres.faults;

import dev.longhaul.postgres.faults.Entry.RunKey;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Kills workers, some at a chosen phase, some at any moment. A kill aimed at a phase counts for it only if the killed
 * worker's ledger shows a job in that phase; otherwise it is retried.
 */
final class Killer {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int ANY_MOMENT_MILLIS = 200;
    private static final int COMMIT_MILLIS = 4;

    private final Fleet fleet;
    private final String url;
    private final Random random;
    private final Deque<Aim> aims = new ArrayDeque<>();
    private final Map<Phase, Integer> hits = new EnumMap<>(Phase.class);
    private final Map<Phase, Integer> jobs = new EnumMap<>(Phase.class);
    private final Set<RunKey> unanswered = new HashSet<>();
    private int kills;
    private int atAnyMoment;
    private int missed;
    private boolean waitInside;

    /** The target of a kill; any moment if the phase is null. */
    private record Aim(@Nullable Phase phase) {}

    Killer(Fleet fleet, String url, Random random, int perPhase, int atAnyMoment) {
        this.fleet = fleet;
        this.url = url;
        this.random = random;
        var all = new ArrayList<Aim>();
        for (Phase phase : Phase.values()) {
            all.addAll(Collections.nCopies(perPhase, new Aim(phase)));
        }
        all.addAll(Collections.nCopies(atAnyMoment, new Aim(null)));
        Collections.shuffle(all, random);
        aims.addAll(all);
    }

    boolean done() {
        return aims.isEmpty();
    }

    void killOne() throws InterruptedException, SQLException {
        Aim aim = aims.remove();
        WorkerProcess victim = fleet.next();
        if (aim.phase() == null) {
            Thread.sleep(random.nextInt(ANY_MOMENT_MILLIS));
            fleet.kill(victim);
            atAnyMoment++;
        } else {
            killAt(aim.phase(), victim);
        }
        kills++;
        boolean hit = aim.phase() == null;
        for (Phase phase : Phase.values()) {
            Set<RunKey> left = phase.leftIn(victim.entries());
            jobs.merge(phase, left.size(), Integer::sum);
            if (phase == Phase.COMMIT_UNDER_WAY) {
                unanswered.addAll(left);
            }
            if (phase == aim.phase() && !left.isEmpty()) {
                hits.merge(phase, 1, Integer::sum);
                hit = true;
            }
        }
        if (!hit) {
            missed++;
            aims.add(aim);
        }
    }

    private void killAt(Phase phase, WorkerProcess victim) throws InterruptedException, SQLException {
        victim.send("hold " + phase);
        String at = victim.await("at " + phase, PATIENCE);
        if (phase == Phase.COMMIT_UNDER_WAY && at != null) {
            UUID job = UUID.fromString(at.substring(at.lastIndexOf(' ') + 1));
            waitInside = !waitInside;
            if (waitInside) {
                killInsideCommit(victim, job);
                return;
            }
            victim.send("go");
            Thread.sleep(random.nextInt(COMMIT_MILLIS));
        }
        fleet.kill(victim);
    }

    /** Makes the statement wait for a row lock, kills the worker, then lets the server finish the abandoned statement. */
    private void killInsideCommit(WorkerProcess victim, UUID job) throws SQLException, InterruptedException {
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            try (PreparedStatement lock =
                    connection.prepareStatement("select id from longhaul.live_job where id = ? for update")) {
                lock.setObject(1, job);
                lock.execute();
            }
            victim.send("go");
            awaitBlocked(connection);
            fleet.kill(victim);
            connection.rollback();
        }
    }

    private static void awaitBlocked(Connection connection) throws SQLException, InterruptedException {
        String sql =
                "select exists (select from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid)))";
        long end = System.nanoTime() + PATIENCE.toNanos();
        boolean blocked = false;
        while (!blocked && System.nanoTime() < end) {
            try (PreparedStatement statement = connection.prepareStatement(sql);
                    ResultSet row = statement.executeQuery()) {
                row.next();
                blocked = row.getBoolean(1);
            }
            Thread.sleep(1);
        }
    }

    int kills() {
        return kills;
    }

    Map<Phase, Integer> hits() {
        return hits;
    }

    /** The runs whose outcomes were sent by a worker that was killed before it received the verdict. */
    Set<RunKey> unanswered() {
        return unanswered;
    }

    List<String> table() {
        var lines = new ArrayList<String>();
        lines.add("kills: " + kills + " (" + atAnyMoment + " at any moment, " + missed + " missed their phase)");
        for (Phase phase : Phase.values()) {
            lines.add(String.format(
                    "  %-17s %3d kills aimed and hit, %4d jobs in this phase at a kill",
                    phase.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                    hits.getOrDefault(phase, 0),
                    jobs.getOrDefault(phase, 0)));
        }
        return lines;
    }
}
