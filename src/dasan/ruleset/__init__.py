"""The rules of a game as one value, and the catalogue of plays compiled from it."""
