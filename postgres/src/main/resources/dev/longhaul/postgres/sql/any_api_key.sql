select exists (select from longhaul.api_key where revoked_at is null)
