"""Networks that score moves: their arithmetic and features, and the trained ones in the package."""

NETWORK = "net:"
"""The prefix of a network where bots are named, see `dasan.networks.source.find`."""
FILE = "network.npz"
"""The network in the folder of a run."""
