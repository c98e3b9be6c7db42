-- Prevents concurrent registrations until the transaction ends: a registration depends on all versions of its key,
-- including those that do not exist yet and that no row lock can cover.
lock table longhaul.definition in share row exclusive mode
