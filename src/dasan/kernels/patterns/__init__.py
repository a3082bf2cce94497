"""Kernels of Winner: a hand is two words, and its plays are bits of words."""
