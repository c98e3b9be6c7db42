-- Whether this is a standby, and the timeline that a primary writes: the first part of the name of its WAL files. Does
-- not use pg_control_checkpoint(), which returns the old timeline until the first checkpoint after a promotion.
select pg_is_in_recovery() as standby,
    case when not pg_is_in_recovery() then ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline
