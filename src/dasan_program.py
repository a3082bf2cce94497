"""The program `dasan`: outside the package, so that Ctrl-C is answered while the package is still being imported."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; interrupted, even at its very start, it says so and exits with 130."""
    try:
        from dasan.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("dasan: stopped\n")
        sys.exit(130)
