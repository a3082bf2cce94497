"""A second reading of the rules, kept apart from the engine so that the two can be compared."""
