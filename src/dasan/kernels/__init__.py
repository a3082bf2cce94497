"""Compiled games. This is the only package that imports Numba; its code is plain Python that Numba compiles.

Combinations, and which of them beats which, come as arrays from the catalogue (`dasan.ruleset.catalogue`). The flow of a hand
(auction, turns, exchange, payments) is written a second time here: each such module names its counterpart in `dasan.play`, and
tests compare the two.
"""
