package dev.longhaul.contract;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Opens a new store of the enclosing {@link JobStoreContract} for each test, and closes it afterwards. */
final class OpenStore implements BeforeEachCallback, AfterEachCallback {
    @Override
    public void beforeEach(ExtensionContext context) {
        part(context).open(enclosing(context, JobStoreContract.class).newFixture());
    }

    @Override
    public void afterEach(ExtensionContext context) {
        part(context).close();
    }

    private static StoreContract part(ExtensionContext context) {
        return enclosing(context, StoreContract.class);
    }

    private static <T> T enclosing(ExtensionContext context, Class<T> type) {
        return context.getRequiredTestInstances().findInstance(type).orElseThrow();
    }
}
