"""Kernels of Big Two: a hand is a set of cards, in one word."""
