-- planner: {planner}
-- A page that ends when it has as many bytes as a page may have. The size of text is known without reading it, so rows that are
-- left out are never read in full.
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
