"""Puzzles played against the server, reviews watched together, and pictures of finished hands."""
