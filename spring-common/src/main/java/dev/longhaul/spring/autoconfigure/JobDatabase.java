package dev.longhaul.spring.autoconfigure;

import dev.longhaul.spring.LonghaulConfigurationException;
import dev.longhaul.spring.LonghaulDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** Chooses the DataSource whose database stores jobs: the one marked {@link LonghaulDataSource}, else the only or primary one. */
final class JobDatabase {
    private static final String POSTGRESQL = "PostgreSQL";

    private final ListableBeanFactory beans;
    private final ObjectProvider<DataSource> marked;
    private final ObjectProvider<DataSource> all;

    JobDatabase(ListableBeanFactory beans, ObjectProvider<DataSource> marked, ObjectProvider<DataSource> all) {
        this.beans = beans;
        this.marked = marked;
        this.all = all;
    }

    /** Returns the chosen DataSource; null if there is none, or if there are several and none is marked or primary. */
    @Nullable
    DataSource find() {
        DataSource chosen = marked.getIfUnique();
        if (chosen == null && names(true).isEmpty()) {
            chosen = all.getIfUnique();
        }
        DataSource own = chosen;
        while (own instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null) {
            // Longhaul's own work must not join the transactions of callers.
            own = proxy.getTargetDataSource();
        }
        return own;
    }

    /** As {@link #find}; fails when nothing is chosen, or another kind of database. */
    DataSource require() {
        DataSource chosen = find();
        if (chosen == null) {
            throw refused(names(false), names(true));
        }
        String product = product(chosen);
        if (product != null && !product.equals(POSTGRESQL)) {
            throw new LonghaulConfigurationException(
                    "Longhaul stores jobs in PostgreSQL, but its DataSource is connected to " + product + ".",
                    "Mark a DataSource of a PostgreSQL database with @LonghaulDataSource, or define a bean of type"
                            + " dev.longhaul.spi.Store, such as MemoryStore for demos.");
        }
        return chosen;
    }

    private static LonghaulConfigurationException refused(List<String> names, List<String> marked) {
        if (names.isEmpty()) {
            return new LonghaulConfigurationException(
                    "Longhaul stores jobs in PostgreSQL, but the application has no DataSource.",
                    "Set spring.datasource.url, define a bean of type DataSource, or set longhaul.enabled=false.");
        }
        return marked.size() > 1
                ? new LonghaulConfigurationException(
                        "Several DataSources are marked with @LonghaulDataSource: " + marked + ".",
                        "Leave the annotation on the one whose database stores jobs.")
                : new LonghaulConfigurationException(
                        "Longhaul needs one DataSource, but the application has several and none is primary: " + names
                                + ".",
                        "Mark the one whose database stores jobs with @LonghaulDataSource, or one with @Primary.");
    }

    private List<String> names(boolean onlyMarked) {
        return Arrays.stream(beans.getBeanNamesForType(DataSource.class, true, false))
                .filter(name ->
                        !onlyMarked || beans.findAnnotationOnBean(name, LonghaulDataSource.class, false) != null)
                .toList();
    }

    /** The kind of database; null when it cannot be reached: opening the store then reports why. */
    private static @Nullable String product(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            return connection.getMetaData().getDatabaseProductName();
        } catch (SQLException e) {
            return null;
        }
    }
}
