select s.*, longhaul.clock()
from longhaul.schedule s
where s.key = :key
