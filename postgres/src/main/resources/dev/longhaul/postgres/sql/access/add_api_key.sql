-- Adds a key; an existing key with the same id stays unchanged.
insert into longhaul.api_key (id, created_at, name, role, queues, hash, created_by)
values (:id, longhaul.clock(), :name, :role, :queues, :hash, :by)
on conflict (id) do nothing
