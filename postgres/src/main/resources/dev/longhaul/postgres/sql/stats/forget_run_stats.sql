delete from longhaul.run_stats s
where (s.seconds = 10 and s.at < longhaul.clock() - :fine * interval '1 microsecond')
    or (s.seconds = 300 and s.at < longhaul.clock() - :coarse * interval '1 microsecond')
