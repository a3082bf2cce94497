"""Compiled code: the only place that imports Numba. Everything here is plain Python that Numba compiles.

Nothing in this package knows the rules: `dasan.ruleset.catalogue.compile` says what the actions are, and the kernels interpret it.
"""
