package dev.longhaul.engine.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.memory.MovableClock;
import dev.longhaul.work.ClaimRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

class LeaseReaperTest {
    private static final Duration LEASE = Duration.ofSeconds(15);

    private final MovableClock clock = new MovableClock(Instant.now());
    private final MemoryStore store = new MemoryStore(clock);
    private final Leader leader = new Leader(store.upkeep(), "leader", LEASE);
    private final LeaseReaper reaper = new LeaseReaper(store.upkeep(), leader, LEASE);

    @Test
    void marks_the_line_about_a_run_with_its_job() {
        var job = JobSpec.of(new DefinitionRef("report", 1), "{}").build();
        store.jobs().insert(List.of(job));
        store.work().claim(ClaimRequest.of("dead", List.of(job.queue()), null, 1, LEASE));
        var marks = new ArrayList<Map<String, String>>();
        var appender = new AppenderBase<ILoggingEvent>() {
            @Override
            protected void append(ILoggingEvent event) {
                marks.add(Map.copyOf(event.getMDCPropertyMap()));
            }
        };
        var logger = (Logger) LoggerFactory.getLogger(LeaseReaper.class);
        appender.start();
        logger.addAppender(appender);
        try {
            for (Duration passed = Duration.ZERO;
                    passed.compareTo(LEASE.multipliedBy(3)) < 0;
                    passed = passed.plus(leader.interval())) {
                clock.advance(leader.interval());
                leader.runOnce(clock.instant());
                reaper.runOnce(clock.instant());
            }
        } finally {
            logger.detachAppender(appender);
        }

        assertThat(marks).containsExactly(Map.of("jobId", job.id().toString()));
        assertThat(MDC.get("jobId")).isNull();
    }
}
