"""Valuing moves in sampled worlds that fit a view: beliefs, playouts and their elimination."""
