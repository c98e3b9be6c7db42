-- planner: custom
-- A page of jobs in the order of their ids. {order} and {beyond} are desc and < for newest first, asc and > for oldest.
select {columns}
from longhaul.job j
where (:cursor::uuid is null or j.id {beyond} :cursor::uuid)
    and (:states::smallint[] is null or j.state = any (:states::smallint[]))
    and (:statuses::text[] is null or j.status = any (:statuses::text[]))
    and (:definitionKey::text is null or j.definition_key = :definitionKey)
    and (:queue::text is null or j.queue = :queue)
    and (:namePrefix::text is null or starts_with(j.name collate "C", :namePrefix))
    and (:labels::text[] is null or j.labels @> :labels::text[])
    and (:correlationId::text is null or j.correlation_id = :correlationId)
    and (:createdBy::text is null or j.created_by = :createdBy)
    -- Compared as text, which the planner can evaluate: a conversion from text to a time depends on the session.
    and (:createdAfter::text is null or j.created_at >= :createdAfter::timestamptz)
    and (:createdBefore::text is null or j.created_at < :createdBefore::timestamptz)
    -- Live jobs have no finish time, so the planner excludes their table.
    and (:finishedAfter::text is null or j.finished_at >= :finishedAfter::timestamptz)
    and (:finishedBefore::text is null or j.finished_at < :finishedBefore::timestamptz)
    -- The day in the id differs from created_at by at most a day: enough to exclude partitions.
    and (:lowestId::uuid is null or j.id >= :lowestId::uuid)
    and (:highestId::uuid is null or j.id < :highestId::uuid)
order by j.id {order}
limit :limit
