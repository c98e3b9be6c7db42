-- Steps, with the columns that determine whether their job has secrets.
select (to_jsonb(t) - 'result')::text as row, null::text as params, t.result, j.definition_key, j.definition_version, j.secrets,
    false as resumes, true as steps
from longhaul.job_step t
left join longhaul.job j on j.id = t.job_id
