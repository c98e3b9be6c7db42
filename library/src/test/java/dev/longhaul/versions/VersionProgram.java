package dev.longhaul.versions;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.JobDefinition;
import dev.longhaul.JobDefinitions;
import dev.longhaul.Longhaul;
import dev.longhaul.LonghaulBuilder;
import dev.longhaul.postgres.database.PatientDataSource;
import dev.longhaul.testing.TestPostgres;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/** The main program of every code version: what differs is {@code shop.Mails} on its class path. */
final class VersionProgram {
    private VersionProgram() {}

    /** Takes a database and a role. Each line of input is submitted as a job; its id is printed. */
    @SuppressWarnings("unchecked")
    public static void main(String[] arguments) throws Exception {
        HikariDataSource pool = TestPostgres.pool(new PatientDataSource(arguments[0]), 8);
        Object mails = Class.forName("shop.Mails").getConstructor().newInstance();
        JobDefinition<?, ?> known =
                ((JobDefinitions) mails).definitions().iterator().next();
        LonghaulBuilder builder = Longhaul.builder().postgres(pool).register(known);
        Longhaul longhaul = arguments[1].equals("worker")
                ? builder.slots(2).start()
                : builder.enqueueOnly().start();
        var definition = (JobDefinition<Object, Object>) known;
        var params = (Function<String, Object>) mails;
        System.out.println("> ready");
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            System.out.println("> " + longhaul.later(definition, params.apply(line)));
        }
        Runtime.getRuntime().halt(3);
    }
}
