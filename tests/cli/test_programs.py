"""Commands that run a program as a bot."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from tests.cli.running import cli, output, refusal

from dasan.bots.external import conformance
from dasan.remote import program
from dasan.remote.site import Refusal

PROGRAM = f'"{sys.executable}" -m dasan bot-protocol low'


@pytest.mark.parametrize("option", ["--move-seconds", "--seconds"])
def test_the_time_limit_for_a_move_also_has_its_former_name(option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[float] = []

    def check(*_: object, seconds: float, **__: Any) -> list[conformance.Check]:
        limits.append(seconds)
        return []

    def visit(*_: object, seconds: float, **__: Any) -> None:
        limits.append(seconds)
        raise Refusal("the table is full")

    monkeypatch.setattr(conformance, "check", check)
    monkeypatch.setattr(program.Visit, "__init__", visit)
    output("bot-test", PROGRAM, option, 7)
    assert refusal("join", "http://localhost:8000/t/x", PROGRAM, option, 8) == "the table is full"
    assert limits == [7, 8]


def test_with_json_join_reports_faults_on_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(visit: program.Visit, *_: object, **__: object) -> None:
        visit.seat, visit.hands, visit.faults = 2, 1, {"stall": 1}

    def play(_: program.Visit, __: int | None, report: program.Report) -> None:
        report("fault, stall: no answer within 5 seconds")

    monkeypatch.setattr(program.Visit, "__init__", begin)
    monkeypatch.setattr(program.Visit, "play", play)
    result = cli("join", "http://localhost:8000/t/x", PROGRAM, "--json")
    assert json.loads(result.stdout) == {"seat": 2, "hands": 1, "faults": {"stall": 1}}
    assert result.stderr == "seat 2\nfault, stall: no answer within 5 seconds\n"
