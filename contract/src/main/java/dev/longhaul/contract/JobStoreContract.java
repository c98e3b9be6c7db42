package dev.longhaul.contract;

import org.junit.jupiter.api.Nested;

/** All that a store promises. A store's test extends this class and tells how to open one; nothing can be left out. */
public abstract class JobStoreContract {
    /** Opens an empty store; called before each test, closed after it. */
    protected abstract StoreFixture newFixture();

    @Nested
    class Work extends WorkSourceContract {
        @Override
        protected WorkFixture newFixture() {
            return WorkFixture.of(JobStoreContract.this.newFixture());
        }
    }

    @Nested
    class Insert extends InsertContract {}

    @Nested
    class Claim extends ClaimContract {}

    @Nested
    class ClaimOne extends ClaimOneContract {}

    @Nested
    class LastLife extends LastLifeContract {}

    @Nested
    class ConcurrencyLimit extends LimitContract {}

    @Nested
    class Lease extends LeaseContract {}

    @Nested
    class Save extends SaveContract {}

    @Nested
    class Apply extends TransitionContract {}

    @Nested
    class Fencing extends FencingContract {}

    @Nested
    class Expire extends ExpireContract {}

    @Nested
    class Overdue extends OverdueContract {}

    @Nested
    class Begin extends BeginContract {}

    @Nested
    class Leadership extends LeadershipContract {}

    @Nested
    class Hooks extends HooksContract {}

    @Nested
    class Cancel extends CancelContract {}

    @Nested
    class Edit extends EditContract {}

    @Nested
    class SecretPlaces extends SecretPlacesContract {}

    @Nested
    class Retry extends RetryContract {}

    @Nested
    class Edges extends EdgesContract {}

    @Nested
    class Audit extends AuditContract {}

    @Nested
    class Events extends EventContract {}

    @Nested
    class Lists extends ListContract {}

    @Nested
    class Queues extends QueueContract {}

    @Nested
    class MaxDepth extends DepthContract {}

    @Nested
    class Retention extends RetentionContract {}

    @Nested
    class Signals extends SignalContract {}

    @Nested
    class Schedules extends ScheduleContract {}

    @Nested
    class Fires extends FireContract {}

    @Nested
    class Overlaps extends OverlapContract {}

    @Nested
    class Catalog extends CatalogContract {}

    @Nested
    class Declarations extends DeclarationContract {}

    @Nested
    class Standings extends StandingContract {}

    @Nested
    class Stats extends StatsContract {}

    @Nested
    class Access extends AccessContract {}

    @Nested
    class Webhooks extends WebhookContract {}

    @Nested
    class WebhookBacklog extends WebhookBacklogContract {}

    @Nested
    class JobWebhooks extends JobWebhookContract {}

    @Nested
    class Redeliveries extends RedeliveryContract {}

    @Nested
    class WebhookEdits extends WebhookEditContract {}
}
