select longhaul.clock()
