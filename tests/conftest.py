"""What every test shares: how Hypothesis chooses its examples, that servers compile nothing in the background, which cases
`make test` leaves out, and that what has a budget is told.
"""

from __future__ import annotations

import os
from collections import defaultdict
from itertools import pairwise
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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow all but N cases of each test that is marked ``sampled(N)``: one of each N-th part stays, always the same.

    Where two parameters multiply, the parts go through the outer one in order and take the inner one as the hash of the
    test's name has it, so that no value of either is left out for its place in the product.
    """
    tests = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sampled") and not item.get_closest_marker("slow"):
            tests[item.nodeid.partition("[")[0]].append(item)
    for name, cases in tests.items():
        (wanted,) = next(cases[0].iter_markers("sampled")).args
        edges = [len(cases) * part // wanted for part in range(wanted + 1)]
        parts = [cases[start:end] for start, end in pairwise(edges) if start < end]
        stay = {id(part[crc32(f"{name} {i}".encode()) % len(part)]) for i, part in enumerate(parts)}
        for case in cases:
            if id(case) not in stay:
                case.add_marker(pytest.mark.slow)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have measured against a budget: they record it as a property ``budget: NAME``."""
    reports = [one for outcome in ("passed", "failed") for one in terminalreporter.getreports(outcome)]
    measured = [(name, value) for one in reports for name, value in one.user_properties if name.startswith("budget: ")]
    if measured:
        terminalreporter.section("budgets")
        for name, value in measured:
            terminalreporter.line(f"{name.removeprefix('budget: ')}: {value}")
