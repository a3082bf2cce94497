"""Runs the Python examples of README.md and docs/ as tests; each file is one namespace, read from top to bottom."""

from __future__ import annotations

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), SkipParser()],
    patterns=["README.md", "docs/*.md", "docs/**/*.md"],
).pytest()

collect_ignore = ["src/dasan/server/migrations"]
"""Scripts that Alembic runs, not modules."""
