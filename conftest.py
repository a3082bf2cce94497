"""Runs the Python examples of README.md and docs/ as tests; each file is one namespace, read from top to bottom."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser


def _installed(namespace: dict[str, Any]) -> None:
    """What examples that need an extra are skipped by, aloud."""
    namespace["no_data"] = not find_spec("pyarrow")
    namespace["no_envs"] = not all(find_spec(name) for name in ("gymnasium", "pettingzoo", "pyspiel"))


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), SkipParser()],
    patterns=["README.md", "docs/*.md", "docs/**/*.md"],
    setup=_installed,
).pytest()

collect_ignore = ["src/dasan/server/migrations"]
"""Scripts that Alembic runs, not modules; and modules over packages that are not installed, whose tests say so."""
_OVER = {"gymnasium": "gymnasium", "openspiel": "pyspiel", "pettingzoo": "pettingzoo"}
collect_ignore += [f"src/dasan/envs/{module}.py" for module, package in _OVER.items() if not find_spec(package)]
