"""Common to all kernels: the decorators, the cache of machine code, bit primitives, random numbers."""
