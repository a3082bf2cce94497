"""Duplicate events: everybody plays the same deals, so that the luck of the cards cancels."""
