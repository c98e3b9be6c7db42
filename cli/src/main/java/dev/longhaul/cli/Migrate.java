package dev.longhaul.cli;

import dev.longhaul.cli.launch.StoreConfig;
import dev.longhaul.cli.secret.VisiblePassword;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.database.PatientDataSource;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/** Migrates the schema of a database, for servers that lack the permission to do so. */
@Command(
        name = "migrate",
        description = "Migrates the schema of a PostgreSQL database to the current version.",
        mixinStandardHelpOptions = true)
final class Migrate implements Callable<Integer> {
    private final PrintWriter out;

    @Option(
            names = "--database-url",
            paramLabel = "URL",
            description = "The database: postgres://user@host:5432/name or a JDBC URL, with the password in ~/.pgpass."
                    + " Default: LONGHAUL_STORE.")
    private @Nullable String databaseUrl;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Read the database URL from the properties file of longhaul server.")
    private @Nullable String config;

    @Option(names = "--print", description = "Print the pending SQL instead of executing it.")
    private boolean print;

    Migrate(PrintWriter out) {
        this.out = out;
    }

    @Override
    public Integer call() {
        var dataSource = new PatientDataSource(url());
        if (print) {
            String missing = PostgresStore.missingSql(dataSource);
            out.println(missing.isEmpty() ? "-- The schema is up to date." : missing);
        } else {
            out.println("The schema longhaul is at version " + PostgresStore.migrate(dataSource) + ".");
        }
        return ExitCode.OK;
    }

    private String url() {
        VisiblePassword.warn("--database-url", databaseUrl);
        if (databaseUrl != null) {
            return databaseUrl;
        }
        if (StoreConfig.of(System.getenv(), null, config) instanceof StoreConfig.Postgres postgres) {
            return postgres.url();
        }
        throw new LonghaulException(
                ErrorCode.INVALID_ARGUMENT,
                List.of(new FieldError(
                        "database-url", "missing", "--database-url URL, or --config FILE with store=postgres://…")));
    }
}
