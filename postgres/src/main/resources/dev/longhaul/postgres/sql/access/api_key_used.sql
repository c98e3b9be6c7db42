-- Not updated at every use, which would be a write per request.
update longhaul.api_key
set last_used_at = longhaul.clock()
where id = :id and (last_used_at is null or last_used_at <= longhaul.clock() - :within * interval '1 microsecond')
