"""The solver of Big Three and Wa Keng with open hands."""
