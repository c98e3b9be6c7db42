select {definition_columns},
    r.params_schema as registered_params_schema, r.result_schema as registered_result_schema
from longhaul.known_definition k
left join longhaul.definition r on r.definition_key = k.definition_key and r.definition_version = k.definition_version
order by k.definition_key, k.definition_version
