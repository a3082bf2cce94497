"""climb/1: records with one line changed are refused (G.03)."""

from __future__ import annotations

import pytest
from tests.test_records import Line, Tamper, a_session, forged, lines_of, of_type, text_of

import dasan
from dasan import BadRecord


def second(lines: list[Line]) -> Line:
    return next(line for line in lines if line.get("number") == 2)


def floats(numbers: list[int]) -> list[float]:
    return [float(n) for n in numbers]


def false_reveal() -> Line:
    return {"type": "reveal", "secret": "00" * 128}


TAMPERED: list[tuple[str, Tamper]] = [
    ("big-three", lambda lines: lines[0].update(format="climb/2")),
    ("big-three", lambda lines: lines[0].update(contents="match")),
    ("big-three", lambda lines: lines[0].update(view=3)),
    ("big-three", lambda lines: lines[0].update(view=True)),
    ("big-three", lambda lines: lines[0].update(view=None)),
    ("big-three", lambda lines: lines[0].update(seats=[1])),
    ("big-three", lambda lines: lines[0]["rules"]["options"].update(cut=False)),
    ("big-three", lambda lines: lines[0]["rules"].update(name="big-three-fr")),
    ("big-three", lambda lines: lines[0]["rules"].update(name="nine-men")),
    ("big-three", lambda lines: lines[0]["rules"].update(name=["big-three"])),
    ("big-three", lambda lines: lines[0]["rules"].update(digest="0" * 64)),
    ("big-three", lambda lines: of_type(lines, "draw").update(seat=1)),
    ("big-three", lambda lines: of_type(lines, "draw").update(cards=["?"])),
    ("big-three", lambda lines: of_type(lines, "dealer").update(seat=(of_type(lines, "dealer")["seat"] + 1) % 3)),
    ("big-three", lambda lines: of_type(lines, "dealer").update(cards=["4H"])),
    ("big-three", lambda lines: lines.remove(of_type(lines, "draw"))),
    ("big-three", lambda lines: of_type(lines, "deal").update(cut=0)),
    ("big-three", lambda lines: of_type(lines, "deal").update(cut=52)),
    ("big-three", lambda lines: of_type(lines, "deal").pop("cut")),
    ("big-three", lambda lines: of_type(lines, "deal").pop("cutter")),
    ("big-three", lambda lines: of_type(lines, "deal").update(cutter=of_type(lines, "deal")["dealer"])),
    ("big-three", lambda lines: of_type(lines, "deal").update(dealer=(of_type(lines, "deal")["dealer"] + 1) % 3)),
    ("big-three", lambda lines: of_type(lines, "deal").update(number=2)),
    ("big-three", lambda lines: of_type(lines, "deal").update(number=0)),
    ("big-three", lambda lines: of_type(lines, "deal").update(leader=0)),
    ("big-three", lambda lines: of_type(lines, "deal").update(exchange=[0, 1])),
    ("big-three", lambda lines: of_type(lines, "deal").update(commitment="0" * 64)),
    ("big-three", lambda lines: of_type(lines, "deal").update(contributions=["mine"])),
    ("big-three", lambda lines: of_type(lines, "deal")["hands"].reverse()),
    ("big-three", lambda lines: of_type(lines, "deal")["hands"].pop()),
    ("big-three", lambda lines: of_type(lines, "deal").update(kitty="4H 4H 4H 4H")),
    ("big-three", lambda lines: of_type(lines, "bid").update(bid=4)),
    ("big-three", lambda lines: of_type(lines, "bid").update(seat=7)),
    ("big-three", lambda lines: of_type(lines, "bid").update(cards=["4H"])),
    ("big-three", lambda lines: of_type(lines, "bid").pop("bid")),
    ("big-three", lambda lines: of_type(lines, "kitty").update(cards=["4H"])),
    ("big-three", lambda lines: of_type(lines, "play").update(cards=["4H", "4H"])),
    ("big-three", lambda lines: of_type(lines, "play").update(cards=["?"])),
    ("big-three", lambda lines: of_type(lines, "play").update(cards=[])),
    ("big-three", lambda lines: of_type(lines, "play").update(bid=1)),
    ("big-three", lambda lines: of_type(lines, "play").update(type="shuffle")),
    ("big-three", lambda lines: of_type(lines, "trick").update(seat=5)),
    ("big-three", lambda lines: lines.remove(of_type(lines, "trick"))),
    ("big-three", lambda lines: lines.remove(of_type(lines, "play"))),
    ("big-three", lambda lines: of_type(lines, "play").update(seq=1)),
    ("big-three", lambda lines: of_type(lines, "result").update(payments=[100, -50, -50])),
    ("big-three", lambda lines: of_type(lines, "result").update(extra=1)),
    ("big-three", lambda lines: of_type(lines, "reveal").update(secret="00" * 128)),
    ("big-three", lambda lines: of_type(lines, "reveal").update(secret="00")),
    ("big-three", lambda lines: of_type(lines, "reveal").update(secret=5)),
    ("big-three", lambda lines: of_type(lines, "result").update(payments=floats(of_type(lines, "result")["payments"]))),
    ("big-three", lambda lines: lines.remove(of_type(lines, "result"))),
    ("big-three", lambda lines: lines.insert(lines.index(of_type(lines, "result")), of_type(lines, "result"))),
    ("big-three", lambda lines: lines.insert(lines.index(of_type(lines, "reveal")), false_reveal())),
    ("big-three", lambda lines: lines.insert(lines.index(of_type(lines, "reveal")) + 1, false_reveal())),
    ("big-three", lambda lines: lines.insert(lines.index(of_type(lines, "result")), of_type(lines, "reveal"))),
    ("big-three", lambda lines: of_type(lines, "reveal").update(why="so")),
    ("big-three", lambda lines: of_type(lines, "pass").update(bid=3)),
    ("big-three", lambda lines: of_type(lines, "pass").update(note="so")),
    ("big-three", lambda lines: of_type(lines, "pass").update(seat=float(of_type(lines, "pass")["seat"]))),
    ("big-three", lambda lines: of_type(lines, "deal").update(secret="so")),
    ("big-three", lambda lines: of_type(lines, "deal").update(dealer=True)),
    ("big-three", lambda lines: lines[0].update(verified=True)),
    ("big-three", lambda lines: lines[0].update(engine="x" * 2_000)),
    ("big-three", lambda lines: lines[0].update(seats=[{}] * 4)),
    ("big-three", lambda lines: lines[0]["rules"].update(official=True)),
    ("big-three", lambda lines: lines[0]["rules"].update(value=dasan.rules("big-three", must_dig=True).to_json())),
    ("big-three", lambda lines: lines.insert(8, of_type(lines, "reveal"))),
    ("big-three", lambda lines: lines.insert(8, of_type(lines, "result"))),
    ("big-three", lambda lines: lines.append(of_type(lines, "deal"))),
    ("big-two", lambda lines: of_type(lines, "deal").update(exchange=[0, 1])),
    ("big-two", lambda lines: of_type(lines, "deal").update(leader=1)),
    ("big-two", lambda lines: of_type(lines, "deal").update(cut=5, cutter=1)),
    ("big-two", lambda lines: of_type(lines, "last-card").update(type="out")),
    ("winner", lambda lines: of_type(lines, "give")["cards"].append("3D")),
    ("winner", lambda lines: of_type(lines, "offer")["cards"].append("3D")),
    ("winner", lambda lines: of_type(lines, "take").update(cards=of_type(lines, "offer")["cards"])),
    ("winner", lambda lines: of_type(lines, "take").update(cards=[])),
    ("winner", lambda lines: second(lines).pop("exchange") and None),
    ("winner", lambda lines: second(lines).update(exchange=[1, 1])),
    ("winner", lambda lines: second(lines).update(exchange=[1])),
    ("winner", lambda lines: second(lines).pop("leader") and None),
    ("winner", lambda lines: second(lines).update(number=3)),
    ("big-three-4p", lambda lines: of_type(lines, "call")["cards"].append("4D")),
    ("big-three-4p", lambda lines: of_type(lines, "call").update(cards=["KD"])),
    ("big-three-4p", lambda lines: of_type(lines, "partner").update(seat=9)),
]


@pytest.mark.parametrize(("preset", "tamper"), TAMPERED)
def test_g_03_forged_records(preset: str, tamper: Tamper) -> None:
    forged(a_session(preset).record(), tamper)


@pytest.mark.parametrize(
    "change",
    [
        *({"exchange": seats} for seats in (None, [], [1], [1, 1], [0, 1, 2, 3])),
        *({"number": number} for number in (0, 1)),
        {"leader": None},
    ],
    ids=str,
)
def test_w_20_w_21_a_hand_alone_begins_as_its_number_says(change: Line) -> None:
    """Without the hand before, nothing else shows that it cannot begin like that."""
    record = a_session("winner", 1).next_hand().state.record()

    def begins_otherwise(lines: list[Line]) -> None:
        deal = of_type(lines, "deal") | change
        lines[1] = {name: value for name, value in deal.items() if value is not None}

    assert "see 'number', 'exchange' and 'leader'" in forged(record, begins_otherwise).message


def test_g_03_a_hand_continues_the_numbers_of_the_last() -> None:
    def skip(lines: list[Line]) -> None:
        for line in lines[lines.index(second(lines)) :]:
            if "seq" in line:
                line["seq"] += 1

    assert "seq should be" in forged(a_session("big-three").record(), skip).message


@pytest.mark.parametrize("secret", ["00" * 127, " " + "00" * 128])
def test_a_secret_is_as_long_as_secrets_are(secret: str) -> None:
    refusal = forged(a_session("big-three").record(), lambda lines: of_type(lines, "reveal").update(secret=secret))
    assert "a secret has 128 bytes" in refusal.message


def test_hands_are_numbered_from_1() -> None:
    record = dasan.deal(dasan.rules("big-three"), seed=1).record()
    assert "see 'number'" in forged(record, lambda lines: of_type(lines, "deal").update(number=0)).message


def test_dd_02_no_seat_opens_that_is_not_at_the_table() -> None:
    record = dasan.deal(dasan.rules("dou-dizhu"), seed=1).record()

    def seat_3_opens(lines: list[Line]) -> None:
        of_type(lines, "deal").update(opener=3)
        of_type(lines, "open").update(seat=3)

    assert "see 'opener'" in forged(record, seat_3_opens).message


@pytest.mark.parametrize("preset", ["big-three", "winner"])
def test_g_03_a_refusal_names_the_line_and_the_field(preset: str) -> None:
    """One line of each type, with an object in the place of each field, or without a field that it needs."""
    lines = lines_of(a_session(preset).record())
    by_type = {line.get("type"): at for at, line in enumerate(lines)}
    for at in by_type.values():
        for name in lines[at].keys() - {"format", "type"}:
            changes = [{**lines[at], name: {}}]
            if name in ("seq", "seat", "number", "dealer", "hands", "contents", "engine", "rules"):
                changes.append({key: value for key, value in lines[at].items() if key != name})
            for line in changes:
                with pytest.raises(BadRecord, match=rf"^line {at + 1}: .*\b{name}\b"):
                    dasan.replay(text_of([*lines[:at], line, *lines[at + 1 :]]))
