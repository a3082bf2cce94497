"""Values of moves from sampled worlds that fit a view: beliefs, playouts, and elimination of weak candidates."""
