"""External programs as bots, in any language, and the protocol that they speak."""
