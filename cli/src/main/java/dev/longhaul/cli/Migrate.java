package dev.longhaul.cli;

import dev.longhaul.postgres.DatabaseUrl;
import dev.longhaul.postgres.PostgresStore;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.postgresql.ds.PGSimpleDataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/** Brings a database's schema up to date, for those whose programs may not do so themselves. */
@Command(
        name = "migrate",
        description = "Brings the schema of a PostgreSQL database up to date.",
        mixinStandardHelpOptions = true)
final class Migrate implements Callable<Integer> {
    private final PrintWriter out;

    @Option(
            names = "--database-url",
            required = true,
            paramLabel = "URL",
            description = "The database: postgres://user:password@host:5432/name or a JDBC URL.")
    private String databaseUrl = "";

    Migrate(PrintWriter out) {
        this.out = out;
    }

    @Override
    public Integer call() {
        var dataSource = new PGSimpleDataSource();
        dataSource.setUrl(DatabaseUrl.toJdbc(databaseUrl));
        int version = PostgresStore.migrate(dataSource);
        out.println("The schema longhaul is at version " + version + ".");
        return ExitCode.OK;
    }
}
