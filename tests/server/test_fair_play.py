"""Signs of collusion and of programs: honest players are hardly ever named, partners and programs are."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from itertools import chain
from pathlib import Path
from statistics import fmean, pstdev

import pytest
import sqlalchemy as sa
from benchmarks.fair_play import Change, drawn, dumped, helped
from tests.cli.running import output, refusal

import dasan
from dasan.server.store import Store, schema
from dasan.server.store.hand import FinishedHand, Player
from dasan.server.store.hands import insert_hands
from dasan.server.store.people import put
from dasan.server.study.fair_play import HandPlayed, agreement, decisions, pairs

from .conftest import Opened

POOL = ("drawn", 4, False)
MOMENT = int(time.time() * 1000) - 2 * 24 * 60 * 60 * 1000


@pytest.mark.full
def test_honest_leagues_name_hardly_anybody() -> None:
    leagues = [pairs(drawn(seed, 700)) for seed in range(60)]
    assert len(leagues[0]) == 66
    assert sum(any(pair.suspicious for pair in one) for one in leagues) <= 3, "one league in a hundred, of sixty"
    errors = [pair.joint for one in leagues for pair in one]
    assert abs(fmean(errors)) < 0.1
    assert 0.7 < pstdev(errors) < 1.1


@pytest.mark.parametrize("change", [dumped, helped])
def test_partners_are_named_and_nobody_else(change: Change) -> None:
    report = pairs(drawn(3, 2000, change))
    assert [(pair.one, pair.other) for pair in report if pair.suspicious] == [("p0", "p1")]
    pair = report[0]
    if change is dumped:
        assert pair.transfer < -4, "from the first to the second"
    else:
        assert pair.joint > 4


def test_a_pair_that_is_always_together_cannot_be_judged() -> None:
    hands = [HandPlayed(POOL, {"a": 1.0, "b": 1.0, f"c{n % 40}": -2.0}) for n in range(400)]
    assert not any({pair.one, pair.other} == {"a", "b"} for pair in pairs(hands))


def test_games_of_other_stakes_do_not_mix() -> None:
    """Another game pays a thousand times as much; only ranks within a game count."""
    small = drawn(5, 800)
    large = [HandPlayed(("other", 4, False), {one: 1000 * paid for one, paid in hand.earned.items()}) for hand in small]
    twice = [HandPlayed(("other", 4, False), hand.earned) for hand in small]
    one, other = ({(p.one, p.other): p.joint for p in pairs(chain(small, more))} for more in (large, twice))
    assert one == pytest.approx(other)


@pytest.mark.full
def test_a_program_is_named_and_other_bots_are_not() -> None:
    """Here `greedy` is the strong bot and `low` the simple one: the report's own bots take a second a move."""
    strong, simple, shares = dasan.bot("greedy"), dasan.bot("low"), {}
    for player in ("greedy", "thrifty", "shed"):
        same = total = 0
        for seed in range(12):
            state = dasan.deal(dasan.rules("big-two"), seed=seed)
            while state.to_act is not None:
                state = state.play(dasan.bot(player).choose(state.view(state.to_act)))
            for _, equal in decisions(state, range(4), simple, strong):
                total += 1
                same += equal
        shares[player] = agreement(player, same, total)
        assert shares[player].decisions > 50
    assert [one.suspicious for one in shares.values()] == [True, False, False], shares


def test_suits_that_make_no_difference_hide_no_program() -> None:
    """Somebody plays what `greedy` says, in the highest suits of the hand."""
    strong, simple = dasan.bot("greedy"), dasan.bot("low")
    state = dasan.deal(dasan.rules("big-three"), seed=3)
    while state.to_act is not None:
        move = strong.choose(state.view(state.to_act))
        left = list(state.hands[state.to_act])
        cards = [left.pop(max(i for i, held in enumerate(left) if held.rank == card.rank)) for card in move.cards]
        state = state.play(" ".join(map(str, cards)) or str(move))
    agreed = [same for _, same in decisions(state, range(3), simple, strong)]
    assert len(agreed) > 5
    assert all(agreed)


def test_few_decisions_prove_nothing() -> None:
    assert not agreement("p", 0, 0).suspicious
    assert not agreement("p", 10, 10).suspicious
    assert agreement("p", 40, 40).suspicious


async def test_places_count_where_nothing_is_paid(opened: Opened) -> None:
    store = await opened()

    def hand(number: int, preset: str, payments: list[int], order: list[int]) -> FinishedHand:
        names = ("ann", "bob", "cyd", None)
        seats = tuple(
            Player(seat, "", name, None if name else "greedy", "player", paid, seat == order[0])
            for seat, (name, paid) in enumerate(zip(names, payments, strict=True))
        )
        result = {"payments": payments, "finish_order": order}
        return FinishedHand(f"h{number}", "t", number, preset, number, True, False, result, [], "", seats)

    hands = [hand(1, "winner", [0] * 4, [2, 0, 3, 1]), hand(2, "big-two", [3, -1, -1, -1], [0])]
    hands.append(hand(3, "winner", [9, -3, -2, -4], [0, 2, 1, 3]))
    damaged = hand(4, "winner", [0] * 4, [3, 7, 0, 1])
    seat = damaged.players[2]
    hands.append(replace(damaged, players=(*damaged.players[:2], replace(seat, seat=7), damaged.players[3])))
    hands.append(replace(hands[-1], id="h5", number=5, result={"finish_order": [0, 1, 2, 3]}))
    await store.database.write(lambda connection: insert_hands(connection, hands))
    assert [(one.pool[2], dict(one.earned)) for one in await store.fair_play.hands(0)] == [
        (True, {"ann": 0.5, "bob": -1.5, "cyd": 1.5}),
        (False, {"ann": 3, "bob": -1, "cyd": -1}),
        (False, {"ann": 9, "bob": -3, "cyd": -2}),
        (True, {"ann": -0.5, "bob": -1.5, "cyd": 0.5}),
        (False, {"ann": 0, "bob": 0, "cyd": 0}),
    ]
    await store.close()


@pytest.mark.full
def test_a_host_reads_the_report(tmp_path: Path) -> None:
    """People in changing groups, one of whom loses to another on purpose; and an account that plays like a bot."""
    played = drawn(3, 1600, dumped)
    state = dasan.deal(dasan.rules("big-two"), seed=1)
    while state.to_act is not None:
        state = state.play(dasan.bot("greedy").choose(state.view(state.to_act)))
    record = state.record()

    def write(connection: sa.Connection) -> None:
        for number, hand in enumerate(played):
            row = {"id": f"h{number}", "table_id": "t", "number": number, "preset": "big-two", "finished": MOMENT}
            row |= {"shown": True, "rated": True, "result": {}, "opening": [], "record": record}
            connection.execute(sa.insert(schema.hands), row)
            for seat, (player, payment) in enumerate(hand.earned.items()):
                values = {"hand_id": f"h{number}", "seat": seat, "name": player, "player": player, "role": "player"}
                values |= {"payment": round(payment), "won": payment > 0, "finished": MOMENT}
                connection.execute(sa.insert(schema.hand_seats), values)
        for n in range(12):
            put(connection, f"p{n}", 1, name=f"Player {n}", account=f"player-{n}")

    async def fill() -> None:
        store = await Store.open(tmp_path)
        await store.database.write(write)
        await store.moderation.saw([("p0", "192.0.2.1"), ("p1", "192.0.2.1"), ("p2", "192.0.2.2")], MOMENT)
        await store.close()

    asyncio.run(fill())
    here = ("--data-dir", tmp_path, "--programs", 5, "--bot", "thrifty", "--most", 3)
    report = json.loads(output("admin", "fairplay", *here, "--json"))
    first, second, _ = report["pairs"]
    assert (first["one"], first["other"], first["suspicious"], first["networks"]) == ("p0", "p1", True, 1)
    assert (second["suspicious"], second["networks"], report["hands"]) == (False, 0, 1600)
    assert len(report["programs"]) == 3
    lines = output("admin", "fairplay", *here).splitlines()
    assert lines[1].startswith("! Player 0 and Player 1:")
    assert not any(line.startswith("!") for line in lines[2:])
    assert "1600 hands" not in output("admin", "fairplay", "--days", 1, "--data-dir", tmp_path)
    said = refusal("admin", "fairplay", *here, "--programs", 1, "--bot", "net:winner")
    assert said == "net:winner was trained for another game: winner"
    assert refusal("admin", "fairplay", *here, "--programs", 1, "--bot", "grandma").startswith(
        "there is no bot 'grandma'"
    )
