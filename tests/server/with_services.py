"""Run a command with a real PostgreSQL and a NATS cluster: ``python -m tests.server.with_services COMMAND …``.

``{database}`` and ``{nats}`` in its arguments become their addresses.
"""

from __future__ import annotations

import subprocess
import sys

from .services import nats_cluster, postgres


def main() -> None:
    """Start both, run the command, end with its status."""
    with postgres() as database, nats_cluster(3) as nats:
        words = [word.format(database=database, nats=nats.url) for word in sys.argv[1:]]
        status = subprocess.run(words, check=False).returncode
    sys.exit(status)


if __name__ == "__main__":
    main()
