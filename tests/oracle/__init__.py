"""A second implementation of the rules, independent of the engine, so that the two can be compared."""
