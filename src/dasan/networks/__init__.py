"""Networks that score moves: their arithmetic and features, and the trained ones in the package."""
