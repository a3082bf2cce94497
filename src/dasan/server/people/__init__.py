"""Players: identity, names, sign-in, and restrictions."""
