-- Stores the database's timeline, unless it is the known one.
insert into longhaul.database_timeline as t (timeline, since)
values (:timeline, longhaul.clock())
on conflict (one) do update set timeline = excluded.timeline, since = excluded.since
where t.timeline <> excluded.timeline
