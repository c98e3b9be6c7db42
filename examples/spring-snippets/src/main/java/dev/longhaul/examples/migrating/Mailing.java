package dev.longhaul.examples.migrating;

/** What the jobs of all systems call. */
interface Mailing {
    void sendInvoice(long order);

    void sendReport();
}
