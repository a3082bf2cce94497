"""Kernels of Dou Dizhu: a hand is the count of each rank, jokers included, in one word."""
