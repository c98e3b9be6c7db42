-- Records the use of a key, unless a recent use is recorded: otherwise each request would cost a write.
update longhaul.api_key
set last_used_at = longhaul.clock()
where id = :id and (last_used_at is null or last_used_at <= longhaul.clock() - :within * interval '1 microsecond')
