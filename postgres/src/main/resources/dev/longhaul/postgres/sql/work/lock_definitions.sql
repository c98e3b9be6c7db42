-- Nothing else is registered until the transaction ends: what a registration may do depends on all versions of its key, also on
-- those that are not there yet and that no row lock can hold.
lock table longhaul.definition in share row exclusive mode
