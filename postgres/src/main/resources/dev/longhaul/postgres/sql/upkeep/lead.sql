-- Takes or renews leadership; no row while another holder's term goes on. Each time is also a look: leases that lapsed may be
-- ended only after their owners had the database within reach for a whole lease. A gap between looks means that it may have
-- been away; looks without one prove that it was there, whoever leads. Failing that, a lease that lapsed before the last look
-- may be ended if that look was a whole lease ago: this serves callers that look once a minute.
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
