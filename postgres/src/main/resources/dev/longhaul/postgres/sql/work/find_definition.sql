select {definition_columns}
from longhaul.known_definition k
where k.definition_key = :key and k.definition_version = :version
