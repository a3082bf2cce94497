"""Players of browsers."""
