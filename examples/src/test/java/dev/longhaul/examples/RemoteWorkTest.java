package dev.longhaul.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobOptions;
import dev.longhaul.Longhaul;
import dev.longhaul.client.LonghaulClient;
import dev.longhaul.job.JobId;
import dev.longhaul.server.LonghaulServer;
import dev.longhaul.server.ServerConfig;
import java.net.URI;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class RemoteWorkTest {
    @Test
    void a_worker_and_a_monitor_meet_at_a_server() throws Exception {
        var lines = new ArrayList<String>();
        try (var longhaul = Longhaul.builder().memory().start();
                var server = LonghaulServer.start(longhaul, ServerConfig.LOCAL);
                var client = LonghaulClient.connect(URI.create("http://127.0.0.1:" + server.port()), null);
                var worker = RemoteWork.work(client)) {
            assertThat(worker).isNotNull();
            assertThat(RemoteWork.watch(client, "Ann", lines::add).getResult()).isEqualTo("{\"text\":\"Hello, Ann!\"}");
        }
        assertThat(lines).contains("EVENT_TYPE_LOG {\"level\":\"info\",\"message\":\"greeting Ann\"}");
    }

    @Test
    void the_stubs_alone_take_a_job_and_end_it() throws Exception {
        try (var longhaul = Longhaul.builder().memory().start();
                var server = LonghaulServer.start(longhaul, ServerConfig.LOCAL);
                var client = LonghaulClient.connect(URI.create("http://127.0.0.1:" + server.port()), null)) {
            JobId id = client.enqueue("task", "17", JobOptions.options().queue("far"));
            RemoteWork.takeOne(client.channel(), "far");

            assertThat(client.get(id).getResult()).isEqualTo("17");
        }
    }
}
