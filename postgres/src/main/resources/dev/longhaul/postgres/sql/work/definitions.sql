select {definition_columns}
from longhaul.known_definition k
order by k.definition_key, k.definition_version
