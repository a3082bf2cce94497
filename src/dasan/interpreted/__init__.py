"""The backend `engine`: environments and positions over the engine's own states, for every `Rules` value.

The modules here have the same functions as `dasan.kernels.ranks`, `cardsets`, `regional`, `patterns` and `kickers`, and write
into the same buffers, about a thousand times slower. They run rules that no kernel supports.
"""
