package dev.longhaul.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A Kafka broker in a process of its own. It ends when its standard input is closed, so it cannot outlive its test. */
final class BrokerProgram {
    private static final String CLUSTER = "5L6g3nShT-eMCtK--X86sw";

    private BrokerProgram() {}

    public static void main(String[] arguments) throws IOException {
        var watch = new Thread(BrokerProgram::endWithTheTest, "end with the test");
        watch.setDaemon(true);
        watch.start();
        String settings = arguments[0];
        Path data = Path.of(arguments[1]);
        if (!Files.exists(data.resolve("meta.properties"))) {
            kafka.tools.StorageTool.execute(new String[] {"format", "-t", CLUSTER, "-c", settings}, System.out);
        }
        kafka.Kafka.main(new String[] {settings});
    }

    private static void endWithTheTest() {
        try {
            while (System.in.read() >= 0) {
                // Nothing is ever written to it.
            }
        } catch (IOException e) {
            // Ends below.
        }
        Runtime.getRuntime().halt(1);
    }
}
