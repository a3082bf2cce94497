"""Worker processes for bots, the solver, reviews and compilation: pools, processes and jobs."""
