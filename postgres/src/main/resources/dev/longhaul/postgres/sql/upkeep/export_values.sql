-- Rows whose params and result may contain secrets. Both are separate from {row}, so that masking need not parse the
-- row. {resumes}: whether the job would run after an import; {steps}: whether it has results of steps.
select {row} as row, params, {result} as result, definition_key, definition_version, secrets,
    {resumes} as resumes, {steps} as steps
from longhaul.{table} t
