"""Reviews of a finished hand, by best play with open hands and by each player's information."""
