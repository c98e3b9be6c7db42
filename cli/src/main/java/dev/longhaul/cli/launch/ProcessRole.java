package dev.longhaul.cli.launch;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The roles of a process; one process can have all of them. */
enum ProcessRole {
    /** Serves the API. */
    API,
    /** Can become the leader, which runs the maintenance tasks and the schedules. */
    SCHEDULER,
    /** Runs jobs. */
    WORKER;

    static final Set<ProcessRole> ALL = Set.of(values());

    static Set<ProcessRole> parse(List<String> names) {
        var roles = EnumSet.noneOf(ProcessRole.class);
        for (String name : names) {
            roles.add(Arrays.stream(values())
                    .filter(role -> role.text().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("any of api, scheduler, worker")));
        }
        return roles;
    }

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
