"""Compiled parts of networks that score moves: the sparse first layer, forward and backward, Adam, and returns."""
