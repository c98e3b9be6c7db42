-- Revoked keys count too: revoking the last key must not make the API public.
select exists (select from longhaul.api_key) as any_key
