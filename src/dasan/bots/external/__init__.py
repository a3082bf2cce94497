"""Bots that are programs of their own, in any language, and the protocol that they speak."""
