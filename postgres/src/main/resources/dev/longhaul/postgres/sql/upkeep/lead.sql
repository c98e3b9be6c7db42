-- Takes or renews leadership; returns no row during the term of another holder. An expired lease may only be ended if
-- its owner could reach the database for a whole lease. Each call therefore records that the database was reachable
-- (looked_at). Calls without a long gap, by any leader, prove that it was available all the time; in a gap it may have
-- been unavailable. After a gap, only leases that expired before the previous call may be ended, and only if that call
-- was a whole lease ago: this serves callers that poll once a minute.
insert into longhaul.leader as l (holder, epoch, term_until, looked_at, steady_since)
values (:holder, 1, longhaul.clock() + :term * interval '1 microsecond', longhaul.clock(), longhaul.clock())
on conflict (one) do update
set holder = excluded.holder,
    epoch = l.epoch + case when l.term_until > longhaul.clock() then 0 else 1 end,
    term_until = excluded.term_until,
    looked_at = greatest(l.looked_at, excluded.looked_at),
    looked_before = l.looked_at,
    steady_since = case
        when longhaul.clock() - l.looked_at > :lease * interval '1 microsecond' / 3 then longhaul.clock()
        else l.steady_since end
where l.holder = excluded.holder or l.term_until <= longhaul.clock()
returning l.epoch, case
    when longhaul.clock() - l.steady_since >= :lease * interval '1 microsecond' then longhaul.clock()
    when longhaul.clock() - l.looked_before >= :lease * interval '1 microsecond' then l.looked_before end as lapsed_before
