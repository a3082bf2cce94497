"""Networks that score moves: the arithmetic, their features, and those of the package."""
