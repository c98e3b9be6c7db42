package dev.longhaul.contract;

import dev.longhaul.access.AccessStore;
import dev.longhaul.contract.access.AccessContract;
import dev.longhaul.contract.access.AuditContract;
import dev.longhaul.contract.access.CatalogContract;
import dev.longhaul.contract.access.DeclarationContract;
import dev.longhaul.contract.intake.IntakeProgressContract;
import dev.longhaul.contract.job.CancelContract;
import dev.longhaul.contract.job.DepthContract;
import dev.longhaul.contract.job.EdgesContract;
import dev.longhaul.contract.job.EditContract;
import dev.longhaul.contract.job.EventContract;
import dev.longhaul.contract.job.InsertContract;
import dev.longhaul.contract.job.ListContract;
import dev.longhaul.contract.job.QueueContract;
import dev.longhaul.contract.job.QueuePositionContract;
import dev.longhaul.contract.job.RetryContract;
import dev.longhaul.contract.job.SecretPlacesContract;
import dev.longhaul.contract.schedule.FireContract;
import dev.longhaul.contract.schedule.OverlapContract;
import dev.longhaul.contract.schedule.ScheduleContract;
import dev.longhaul.contract.upkeep.ExpireContract;
import dev.longhaul.contract.upkeep.LeadershipContract;
import dev.longhaul.contract.upkeep.OverdueContract;
import dev.longhaul.contract.upkeep.RetentionContract;
import dev.longhaul.contract.upkeep.StatsContract;
import dev.longhaul.contract.webhook.DeliveryQueueContract;
import dev.longhaul.contract.webhook.JobWebhookContract;
import dev.longhaul.contract.webhook.RedeliveryContract;
import dev.longhaul.contract.webhook.WebhookBacklogContract;
import dev.longhaul.contract.webhook.WebhookContract;
import dev.longhaul.contract.webhook.WebhookEditContract;
import dev.longhaul.contract.work.BeginContract;
import dev.longhaul.contract.work.ClaimContract;
import dev.longhaul.contract.work.ClaimOneContract;
import dev.longhaul.contract.work.FencingContract;
import dev.longhaul.contract.work.HooksContract;
import dev.longhaul.contract.work.LastLifeContract;
import dev.longhaul.contract.work.LeaseContract;
import dev.longhaul.contract.work.LimitContract;
import dev.longhaul.contract.work.ListenerContract;
import dev.longhaul.contract.work.SaveContract;
import dev.longhaul.contract.work.SignalContract;
import dev.longhaul.contract.work.TransitionContract;
import dev.longhaul.intake.IntakeProgress;
import dev.longhaul.spi.ClaimById;
import dev.longhaul.spi.HookSource;
import dev.longhaul.spi.JobStore;
import dev.longhaul.spi.QueueStore;
import dev.longhaul.spi.ScheduleFires;
import dev.longhaul.spi.ScheduleStore;
import dev.longhaul.spi.Upkeep;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.stats.StatsStore;
import dev.longhaul.webhook.DeliveryQueue;
import dev.longhaul.webhook.WebhookStore;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The contract of a store, one part per port. A store's test extends this class, opens the store, and declares its
 * {@link Ports} if the store does not have all ports. No test of a declared port can be skipped. A source of work
 * without a store extends {@link WorkSourceContract}.
 */
@ExtendWith(Declared.class)
public abstract class JobStoreContract {
    /** All ports that a store can have. */
    static final Set<Class<?>> ALL_PORTS = Set.of(
            WorkSource.class,
            ClaimById.class,
            HookSource.class,
            JobStore.class,
            QueueStore.class,
            ScheduleStore.class,
            ScheduleFires.class,
            Upkeep.class,
            dev.longhaul.catalog.Catalog.class,
            AccessStore.class,
            WebhookStore.class,
            DeliveryQueue.class,
            StatsStore.class,
            IntakeProgress.class);

    /** Opens an empty store. Called before each test; the store is closed after the test. */
    protected abstract StoreFixture newFixture();

    @Nested
    @PartOf(WorkSource.class)
    class Work extends WorkSourceContract {
        @Override
        protected WorkFixture newFixture() {
            return WorkFixture.of(JobStoreContract.this.newFixture());
        }
    }

    @Nested
    @PartOf(JobStore.class)
    class Insert extends InsertContract {}

    @Nested
    @PartOf(WorkSource.class)
    class Claim extends ClaimContract {}

    @Nested
    @PartOf(ClaimById.class)
    class ClaimOne extends ClaimOneContract {}

    @Nested
    @PartOf(WorkSource.class)
    class LastLife extends LastLifeContract {}

    @Nested
    @PartOf(QueueStore.class)
    class ConcurrencyLimit extends LimitContract {}

    @Nested
    @PartOf(WorkSource.class)
    class Lease extends LeaseContract {}

    @Nested
    @PartOf(WorkSource.class)
    class Save extends SaveContract {}

    @Nested
    @PartOf(WorkSource.class)
    class Apply extends TransitionContract {}

    @Nested
    @PartOf(WorkSource.class)
    class Fencing extends FencingContract {}

    @Nested
    @PartOf(Upkeep.class)
    class Expire extends ExpireContract {}

    @Nested
    @PartOf(Upkeep.class)
    class Overdue extends OverdueContract {}

    @Nested
    @PartOf(WorkSource.class)
    class Begin extends BeginContract {}

    @Nested
    @PartOf(Upkeep.class)
    class Leadership extends LeadershipContract {}

    @Nested
    @PartOf(HookSource.class)
    class Hooks extends HooksContract {}

    @Nested
    @PartOf(JobStore.class)
    class Cancel extends CancelContract {}

    @Nested
    @PartOf(JobStore.class)
    class Edit extends EditContract {}

    @Nested
    @PartOf(JobStore.class)
    class SecretPlaces extends SecretPlacesContract {}

    @Nested
    @PartOf(JobStore.class)
    class Retry extends RetryContract {}

    @Nested
    @PartOf(JobStore.class)
    class Edges extends EdgesContract {}

    @Nested
    @PartOf(AccessStore.class)
    class Audit extends AuditContract {}

    @Nested
    @PartOf(JobStore.class)
    class Events extends EventContract {}

    @Nested
    @PartOf(JobStore.class)
    class Lists extends ListContract {}

    @Nested
    @PartOf(QueueStore.class)
    class Queues extends QueueContract {}

    @Nested
    @PartOf(QueueStore.class)
    class MaxDepth extends DepthContract {}

    @Nested
    @PartOf(Upkeep.class)
    class Retention extends RetentionContract {}

    @Nested
    @PartOf(WorkSource.class)
    class Signals extends SignalContract {}

    @Nested
    @PartOf(JobStore.class)
    class Listeners extends ListenerContract {}

    @Nested
    @PartOf(ScheduleStore.class)
    class Schedules extends ScheduleContract {}

    @Nested
    @PartOf(ScheduleFires.class)
    class Fires extends FireContract {}

    @Nested
    @PartOf(ScheduleFires.class)
    class Overlaps extends OverlapContract {}

    @Nested
    @PartOf(dev.longhaul.catalog.Catalog.class)
    class Catalog extends CatalogContract {}

    @Nested
    @PartOf(dev.longhaul.catalog.Catalog.class)
    class Declarations extends DeclarationContract {}

    @Nested
    @PartOf(QueueStore.class)
    class Standings extends QueuePositionContract {}

    @Nested
    @PartOf(StatsStore.class)
    class Stats extends StatsContract {}

    @Nested
    @PartOf(IntakeProgress.class)
    class Intake extends IntakeProgressContract {}

    @Nested
    @PartOf(AccessStore.class)
    class Access extends AccessContract {}

    @Nested
    @PartOf(WebhookStore.class)
    class Webhooks extends WebhookContract {}

    @Nested
    @PartOf(DeliveryQueue.class)
    class Deliveries extends DeliveryQueueContract {}

    @Nested
    @PartOf(WebhookStore.class)
    class Effects extends EffectContract {}

    @Nested
    @PartOf(DeliveryQueue.class)
    class WebhookBacklog extends WebhookBacklogContract {}

    @Nested
    @PartOf(WebhookStore.class)
    class JobWebhooks extends JobWebhookContract {}

    @Nested
    @PartOf(WebhookStore.class)
    class Redeliveries extends RedeliveryContract {}

    @Nested
    @PartOf(WebhookStore.class)
    class WebhookEdits extends WebhookEditContract {}
}
