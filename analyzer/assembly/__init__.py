"""Sources put together: nodes, times, clocks, one timeline."""
