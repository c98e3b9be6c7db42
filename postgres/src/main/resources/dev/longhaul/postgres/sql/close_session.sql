delete from longhaul.session where hash = :hash
