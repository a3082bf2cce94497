"""The version of the package, of the engine, and of the records they write."""

from __future__ import annotations

__version__ = "0.1.0"
