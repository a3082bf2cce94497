"""Compiled games. This is the only package that imports Numba; its code is plain Python that Numba compiles.

The rules are not written here again: kernels interpret the catalogue of plays (`dasan.ruleset.catalogue`) as arrays.
"""
