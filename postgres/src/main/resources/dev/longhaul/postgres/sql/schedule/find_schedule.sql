select {schedule_columns}
from longhaul.schedule s
where s.key = :key
