-- planner: index only
select current_setting('enable_seqscan') as setting, :text::text, :at::timestamptz::text, :id::uuid::text, :texts::text[]
