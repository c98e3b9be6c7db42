-- Fixes for what the reviews of version 9 found. Each section names the part of Longhaul it belongs to.

insert into longhaul.schema_version (version, description) values (10, 'hardening');

-- Runs of remote workers. end_margin_millis: how long after the run's deadline (its timeout, or the grace period of a cancel
-- request) the leader ends the run; null for workers that enforce deadlines themselves.
alter table longhaul.live_job add column end_margin_millis int;
