insert into longhaul.intake_alias (id, first_id)
select g.id, g.first_id from unnest(:ids::uuid[], :firsts::uuid[]) as g (id, first_id)
order by g.id
on conflict do nothing
