"""Events, moves and positions in words."""
