"""What every test shares: how Hypothesis chooses its examples, that servers compile nothing in the background, which cases
`make test` leaves out, and that what has a budget is told.
"""

from __future__ import annotations

import os
from collections import defaultdict
from zlib import crc32

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


GAMES = ("big-three-4p", "big-three", "big-two", "winner")
"""By the beginnings of presets' names; the others differ from these by options."""
GAME = "the game of the case's name"
"""Beside the names of parameters."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow all but N cases of each test that is marked ``sampled(N)``; which ones stay is always the same.

    Each game that the test has cases for keeps one, also where these are more than N. Then those are taken that have
    most values of parameters which no case has had so far.
    """
    tests = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("sampled"):
            tests[item.nodeid.partition("[")[0]].append(item)
    for cases in tests.values():
        (wanted,) = next(cases[0].iter_markers("sampled")).args
        left = sorted((case for case in cases if not case.get_closest_marker("slow")), key=_shuffled)
        seen: set[tuple[str, object]] = set()
        while left:
            best = max(left, key=lambda case: _weight(_values(case) - seen))
            new = _values(best) - seen
            if wanted <= 0 and not any(name == GAME for name, _ in new):
                break
            left.remove(best)
            seen |= new
            wanted -= 1
        for case in left:
            case.add_marker(pytest.mark.slow)


def _shuffled(case: pytest.Item) -> int:
    return crc32(case.nodeid.encode())


def _values(case: pytest.Function) -> set[tuple[str, object]]:
    """The game of a case, if its name has one, and the values of its parameters by their places."""
    game = next((name for name in GAMES if name in case.nodeid.partition("[")[2]), None)
    return {(GAME, game)} - {(GAME, None)} | set(case.callspec.indices.items())


def _weight(values: set[tuple[str, object]]) -> int:
    return sum(100 if name == GAME else 1 for name, _ in values)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have measured against a budget: they record it as a property ``budget: NAME``."""
    reports = [one for outcome in ("passed", "failed") for one in terminalreporter.getreports(outcome)]
    measured = [(name, value) for one in reports for name, value in one.user_properties if name.startswith("budget: ")]
    if measured:
        terminalreporter.section("budgets")
        for name, value in measured:
            terminalreporter.line(f"{name.removeprefix('budget: ')}: {value}")
