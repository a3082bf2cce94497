"""Self-play training of networks that score moves."""
