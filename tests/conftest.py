"""What every test shares: how Hypothesis chooses its examples, that servers compile nothing in the background, and that
what has a budget is told.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", parent=settings.get_profile("ci"), derandomize=False, max_examples=1_000)
settings.load_profile("ci")

os.environ.setdefault("DASAN_WARM", "0")

collect_ignore = ["calls.py"]
"""Examples are looked for in every other module: to import this one makes environments and loads all puzzles."""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have measured against a budget: they record it as a property ``budget: NAME``."""
    reports = [one for outcome in ("passed", "failed") for one in terminalreporter.getreports(outcome)]
    measured = [(name, value) for one in reports for name, value in one.user_properties if name.startswith("budget: ")]
    if measured:
        terminalreporter.section("budgets")
        for name, value in measured:
            terminalreporter.line(f"{name.removeprefix('budget: ')}: {value}")
