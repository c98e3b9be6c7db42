select longhaul.clock() as now
