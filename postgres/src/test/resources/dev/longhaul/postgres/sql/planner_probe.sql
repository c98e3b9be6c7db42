-- planner: index only
select current_setting('enable_seqscan'), :text::text, :at::timestamptz::text, :id::uuid::text, :texts::text[]
