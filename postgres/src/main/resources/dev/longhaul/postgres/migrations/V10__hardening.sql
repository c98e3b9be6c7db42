-- Fixes for what the reviews of version 9 found. Each section names the part of Longhaul it belongs to.

insert into longhaul.schema_version (version, description) values (10, 'hardening');
