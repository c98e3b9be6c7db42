insert into longhaul.hooked_definition (definition_key) values (:key) on conflict do nothing
