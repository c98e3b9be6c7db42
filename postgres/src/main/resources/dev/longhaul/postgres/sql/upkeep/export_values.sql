-- Rows whose params and result may hold secrets. Those two come apart from {row}, so that masking need not parse the row.
-- {resumes}: whether the import would let it run; {steps}: whether it has results of steps.
select {row} as row, params, {result} as result, definition_key, definition_version, secrets,
    {resumes} as resumes, {steps} as steps
from longhaul.{table} t
