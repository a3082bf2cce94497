"""Rules of thumb and small exact searches from which bots choose: all a view tells, and nothing else."""
