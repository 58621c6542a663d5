"""Events of all nodes in one order, although their clocks disagree."""
