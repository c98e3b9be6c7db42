update longhaul.queue set paused_at = null, paused_by = null, paused_note = null where name = :queue
