package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.access.Role;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every protocol with real connect-es clients. */
@Tag("full")
class ConnectMatrixTest {
    @RegisterExtension
    final Doors doors = new Doors();

    @Test
    void every_protocol_version_of_http_and_codec_goes_through() {
        NodeProject node = NodeProject.of("server/src/test/node");
        String key = doors.key("matrix", Role.ADMIN);

        String table = node.run("node", "matrix.mjs", Integer.toString(doors.port()), key);

        System.out.println(table);
        assertThat(table).contains("0 calls failed");
    }
}
