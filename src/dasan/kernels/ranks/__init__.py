"""Kernels of games without suits (Big Three): a hand is the count of each rank, in one word."""
