"""The backend `engine`: environments and positions over the engine's own states, for every `Rules` value there is.

The modules here have the functions of `dasan.kernels.ranks`, `cardsets`, `patterns` and `kickers`, and write into the same
buffers, some thousand times as slowly. Nothing is compiled for a game: rules that no kernel honours play here.
"""
