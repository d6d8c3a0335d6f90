"""When a search stops although there is more to explore: limits, the clock, Ctrl-C, memory."""
