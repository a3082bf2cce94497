"""Every numeric option of every command: each value gives a run, or one sentence."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.cli.attempts import outcome
from tests.cli.running import refusal

import dasan
from dasan.cli import app
from dasan.cli.stores import with_store
from dasan.learn.config import Config

VALUES = ["0", "-1", "1.5", "1e400", "nan", "-inf", "text", "", "1000000", "1" + 30 * "0", "1" + 400 * "0", 5000 * "9"]
MOST_MB = 1500
"""The memory that no run of this table takes, as the machine is said to have 2 GB."""
CALLS = {
    "replay": "replay RECORD",
    "verify": "verify RECORD",
    "solve": "solve RECORD",
    "review": "review RECORD --known",
    "puzzle": "puzzle --shipped",
    "puzzle --number": "puzzle RECORD",
    "puzzle --seed": "puzzle",
    "puzzle --hands": "puzzle",
    "puzzle --processes": "puzzle",
    "puzzle --workers": "puzzle",
    "deals": "deals --count 2 --nodes 100",
    "deals --seconds": "deals --count 2",
    "arena": "arena low random --game big-two-tiny --deals 2",
    "evaluate": "evaluate low --deals 2 --game big-two",
    "train": "train --out OUT --game big-two-tiny --envs 2 --rounds 1 --steps 2 --epochs 1 --deals 2",
    "train --share": "train --out OUT --game big-two-tiny --envs 2 --rounds 1 --steps 2 --epochs 1 --pool low",
    "train --random-bids": "train --out OUT --game big-three-tiny --envs 2 --rounds 1 --epochs 1 --method policy",
    "train --random-calls": "train --out OUT --game big-three-4p --envs 2 --rounds 1 --epochs 1 --method policy",
    "train --span": "train --out OUT --game big-two-tiny --envs 2 --branches 2 --rounds 1 --epochs 1",
    "train --processes": "train --out OUT --game big-two-tiny --envs 2 --actors 2 --rounds 1 --steps 2 --epochs 1",
    "bench": "bench big-two --seconds 0.01 --repeats 1 --path whole-hands --one-core",
    "bench --cards": "bench solver --count 1 --seconds 0.01",
    "bench --count": "bench solver --cards 4 --seconds 0.01",
    "bench --seed": "bench solver --cards 4 --count 1 --seconds 0.01",
    "bench --tables": "bench server --seconds 0.1",
    "bench --think": "bench server --seconds 0.1 --tables 1",
    "bench --processes": "bench server --seconds 0.1 --tables 1",
    "generate": "generate --out OUT --game big-two-tiny --hands 2 --part 2",
    "generate --solve": "generate --out OUT --hands 1",
    "join": "join http://127.0.0.1:9/t/x PROGRAM",
    "bot-test": "bot-test PROGRAM --game big-two-tiny",
    "admin mute": "admin mute nobody --data-dir OUT",
    "admin reports": "admin reports --data-dir OUT",
    "admin ban-network": "admin ban-network 10.0.0.1 --data-dir OUT",
    "admin audit": "admin audit --data-dir OUT",
    "admin fairplay": "admin fairplay --data-dir OUT",
    "admin tables": "admin tables --data-dir OUT",
    "admin players": "admin players --data-dir OUT",
    "admin prune": "admin prune --data-dir OUT",
    "tui": "tui --plain",
}
"""A quick call of each command, or of one with this option, without it."""


def numbers(command: Any, words: str = "") -> Iterator[tuple[str, str]]:
    """The numeric options of a command and of those in it: (the command's words, the option)."""
    for word, one in getattr(command, "commands", {}).items():
        yield from numbers(one, f"{words} {word}".strip())
    for one in command.params:
        kind = one.type_descriptor.annotation
        if kind in (int, float) or kind in (list[int], list[float]):
            yield words, one.opts[0]


COMMAND: Any = typer.main.get_command(app)
OPTIONS = {one.name for one in COMMAND.commands["train"].params}
SET = [one.name for one in fields(Config) if type(one.default) in (int, float) and one.name not in OPTIONS]
TABLE = [*numbers(COMMAND), *(("train", f"--set={name}") for name in SET)]


@cache
def record() -> str:
    state = dasan.start(dasan.rules("big-three"), ["4H 4S 3D", "5H 6H", "7H 8C"], bidder=0, bid=2, leader=0)
    for move in ("4H", "5H", "8C"):
        state = state.play(move)
    return state.record()


@pytest.mark.sampled(2, 6)
@pytest.mark.full
@pytest.mark.parametrize(("words", "option"), TABLE, ids=[" ".join(one) for one in TABLE])
def test_a_number_gives_a_run_or_a_sentence(words: str, option: str, tmp_path: Path) -> None:
    prepare(words, tmp_path)
    for value in VALUES:
        code, error, megabytes = outcome([*arguments_of(words, option, tmp_path), f"{option}={value}"])
        assert code in (0, 1, 2), (value, error)
        assert megabytes < MOST_MB, (value, megabytes)
        if code == 2:
            assert error.count("\n") == 1, (value, error)
            assert error.startswith("dasan: "), (value, error)
            assert len(error) < 300, (value, error)


def test_an_error_shows_the_first_digits_of_an_enormous_number() -> None:
    said = refusal("replay", "-", "--number", 10**400, stdin=record())
    assert f"1{39 * '0'}…" in said
    assert len(said) < 200


def prepare(words: str, folder: Path) -> None:
    """Write what the calls read: a record, or the database of a server."""
    (folder / "record.jsonl").write_text(record(), encoding="utf-8")
    if words.startswith("admin"):

        async def nothing(store: object, settings: object) -> None:
            """The folder is made with its database."""

        with_store(nothing, folder / "out", None, alone=True)


def arguments_of(words: str, option: str, folder: Path) -> list[str]:
    """A call to which the option can be added."""
    places = {
        "OUT": str(folder / "out"),
        "RECORD": str(folder / "record.jsonl"),
        "PROGRAM": f"{sys.executable} -m dasan bot-protocol low",
    }
    call = CALLS.get(f"{words} {option}", CALLS.get(words, words)).split()
    if option in call:
        at = call.index(option)
        del call[at : at + 2]
    return [places.get(word, word) for word in call]
