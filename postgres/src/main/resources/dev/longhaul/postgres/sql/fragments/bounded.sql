-- planner: {planner}
-- A page that ends when its rows reach the maximum size of a page. The size of text is known without reading it, so
-- rows beyond the limit are never read in full.
select b.*
from (
    select p.*, count(*) over () as found,
        coalesce(sum({octets}) over (order by {order} rows between unbounded preceding and 1 preceding), 0) as octets_before
    from (
{page}
    ) p
) b
where b.octets_before < {most}
order by {order}
