"""Commands that run a program as a bot."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from tests.cli.running import output, refusal

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
