-- Revoked keys count too: who revokes the last one must not open the doors to everybody.
select exists (select from longhaul.api_key) as any_key
