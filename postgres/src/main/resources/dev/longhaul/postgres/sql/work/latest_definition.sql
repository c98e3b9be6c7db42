select {definition_columns}
from longhaul.known_definition k
where k.definition_key = :key
order by k.definition_version desc
limit 1
