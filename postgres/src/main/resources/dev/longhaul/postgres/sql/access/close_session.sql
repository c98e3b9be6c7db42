delete from longhaul.session where hash = :hash returning key_id
