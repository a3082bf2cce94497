"""Settings of all tests: how Hypothesis chooses examples, no compiling in the background, which cases of a test belong to which
suite, and a summary of measured budgets.

`make test` runs tests with neither mark, `make test-all` also those marked `full`, `make test-full` also those marked `slow`.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from pathlib import Path
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
"""The module whose import makes environments and loads all puzzles: no doctests are collected from it."""


_FULL = re.compile(r"^pytestmark = .*\bmark\.full\b", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import files whose tests are all `full` when these are deselected: importing them takes seconds."""
    if "not full" not in config.option.markexpr or collection_path.suffix != ".py":
        return None
    return bool(_FULL.search(collection_path.read_text(encoding="utf-8"))) or None


GAMES = ("big-three-4p", "big-three", "big-two", "winner", "dou-dizhu")
"""Prefixes of presets' names; the other presets differ from these by options."""
REGIONAL = re.compile("big-two-(hong-kong|taiwan|philippines|indonesia)|wa-keng|zheng-shangyou|dou-dizhu")
"""Names in cases: presets later than the first four games and their variants."""
GAME = "the game of the case's name"
"""A key beside the names of parameters."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spread the cases of each test marked `sampled(SMALL)` or `sampled(SMALL, ALL)` over the suites: `make test` runs SMALL
    of them, `make test-all` ALL or, without that number, every case. Tests in the browser begin first.
    """
    tests = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("sampled"):
            tests[item.nodeid.partition("[")[0]].append(item)
    for cases in tests.values():
        small, *every = next(cases[0].iter_markers("sampled")).args
        candidates = [case for case in cases if not case.get_closest_marker("slow")]
        if every:
            candidates, rest = _spread(candidates, *every, each_game=True)
            for case in rest:
                case.add_marker(pytest.mark.slow)
        for case in _spread(candidates, small)[1]:
            case.add_marker(pytest.mark.full)
    # Journeys in the browser take longest: a process that began one last would keep the others waiting.
    items.sort(key=lambda item: "web" not in item.path.parts)


def _spread(
    cases: list[pytest.Function], wanted: int, *, each_game: bool = False
) -> tuple[list[pytest.Function], list[pytest.Function]]:
    """Choose `wanted` cases, always the same, and return them and the rest.

    The next case is the one with the most values of parameters that no chosen case has; games come first. With `each_game`
    every game that has cases keeps one, even if these are more than `wanted`.
    """
    rest = sorted(cases, key=_shuffled)
    values = {case: _values(case) for case in rest}
    chosen: list[pytest.Function] = []
    seen: set[tuple[str, object]] = set()
    while rest:
        best = max(rest, key=lambda case: _weight(values[case] - seen))
        new = values[best] - seen
        if len(chosen) >= wanted and not (each_game and any(name == GAME for name, _ in new)):
            break
        rest.remove(best)
        chosen.append(best)
        seen |= new
    return chosen, rest


def _shuffled(case: pytest.Item) -> tuple[bool, int]:
    """A game's own preset comes before those of its regions."""
    return REGIONAL.search(case.nodeid) is not None, crc32(case.nodeid.encode())


def _values(case: pytest.Function) -> set[tuple[str, object]]:
    """The game of a case, if its name has one, and the values of its parameters."""
    named = case.nodeid.partition("[")[2].replace("_", "-")
    game = next((name for name in GAMES if name in named), None)
    return {(GAME, game)} - {(GAME, None)} | {(name, repr(value)) for name, value in case.callspec.params.items()}


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
