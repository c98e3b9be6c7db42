-- Whether this is a standby, or the server, database or role is set to read only.
select current_setting('transaction_read_only') = 'on' as read_only
