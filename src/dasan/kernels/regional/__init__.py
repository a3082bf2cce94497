"""Kernels of Big Two by regional rules, in the encoding of `cardsets`."""
