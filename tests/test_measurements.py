"""The scripts in `benchmarks/` that measure bids and open hands, and their rows in the page."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from benchmarks import auctions, calls, levels, measured, open_hands, partners, strength

import dasan
from dasan.arena.contest import Contest, OutcomeFile
from dasan.arena.ladder import ladders
from dasan.arena.outcome import Outcome
from dasan.bench.figures import Figures, cells, sections
from dasan.networks.scoring import Scorer
from dasan.networks.trained import catalogue, load

pytestmark = pytest.mark.full

PAGE = "# A page\n\nWords.\n\n## First\n\n1\n\n## Networks\n\nLast.\n"


def test_a_row_that_is_measured_again_replaces_the_old_one(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text(PAGE)
    figures = Figures("Rows", "What they are.", ("a", "b", "found"), 2)
    for row in ("| x | y | 1 |", "| x | z | 2 |", "| x | y | 3 |"):
        figures.put(file, row, before="Networks")
    text = "What they are.\n\n| a | b | found |\n|---|---|---|\n| x | y | 3 |\n| x | z | 2 |\n"
    assert file.read_text() == PAGE.replace("## Networks", f"## Rows\n\n{text}\n## Networks")
    file.write_text(PAGE)
    figures.put(file, "| x | y | 1 |", before="nowhere")
    assert list(sections(file.read_text())) == ["", "First", "Networks", "Rows"]


def test_the_strength_page_keeps_what_others_measured(tmp_path: Path) -> None:
    kept = OutcomeFile(tmp_path / "none.jsonl")
    found = sections(strength.page(kept, PAGE))
    assert list(found) == ["", strength.LADDER, "First", "Networks"]
    assert found["First"] == "1\n"
    again = strength.page(kept, strength.page(kept, PAGE))
    assert again == strength.page(kept, PAGE)


def test_bots_have_the_ratings_that_the_strength_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    measured.main([])
    assert capsys.readouterr().out == (files("dasan.arena") / "measured.json").read_text(encoding="utf-8")


def test_distances_are_those_among_the_level_below() -> None:
    rows = [f"| `level-{n}` 1 | `level-{n - 1}` 1 | 9 | +0 | [+0, +0] | 50% | +{n} | |" for n in range(2, 9)]
    assert measured.distances("\n".join([rows[2].replace("level-3", "level-1"), *rows])) == [*range(2, 9)]
    for wrong in ([*rows, rows[0]], rows[1:]):
        with pytest.raises(ValueError, match="values to unpack"):
            measured.distances("\n".join(wrong))


def test_a_bot_that_always_earns_more_has_an_interval_with_a_width() -> None:
    """Without a deal with another result, a jackknife over deals has none."""
    alike = [Outcome(i, 3.0, 1.0, 12, 0) for i in range(100)]
    points, low, high = strength._points(alike)
    assert low < points - 300 < points + 300 < high


def test_the_strength_page_keeps_rows_that_are_not_in_the_file(tmp_path: Path) -> None:
    kept = OutcomeFile(tmp_path / "some.jsonl")
    old = "| `net` 1 | `greedy` 2 | 60 | +1.000 | [+0.500, +1.500] | 30.0% | +50 | [+20, +80] | 1.0 |"
    head = "| one | among | deals |\n|---|---|---|\n"
    earlier = f"# A page\n\n## Winner, three players\n\n{head}{old}\n\n## Winner, six players\n\n{head}{old}\n"
    game = strength.GAMES["winner-3"]
    deals = next(deals for a, b, deals in game.contests if (a, b) == ("net", "greedy"))
    contest = Contest(dasan.rules(game.preset, **game.options), "net", "greedy", deals, strength.SEED)

    def row() -> str:
        found = sections(strength.page(OutcomeFile(tmp_path / "some.jsonl"), earlier))
        assert old in found["Winner, six players"]
        (one,) = [line for line in found["Winner, three players"].splitlines() if line.startswith("| `")]
        return one

    for seed in range(strength.SEED, strength.SEED + deals):
        if seed == strength.SEED + 2:
            assert row() == old  # the contest was stopped
        kept.keep(contest, Outcome(seed, 0.5, 0.5, 1, 0, {}, (1, 1), (0.1, 0.1), ({}, {})))
    assert row().startswith(
        f"| `net` {dasan.bot('net').version} | `greedy` {dasan.bot('greedy').version} | {deals} | +0.500 |"
    )


def test_the_strength_page_begins_with_all_games_compared(tmp_path: Path) -> None:
    row = "| `{}` 1 | `{}` 2 | 60 | {} | 30.0% | +50 | [+20, +80] | 1.0 |"
    rows = (
        row.format("net", "greedy", "+1.000 | [+0.500, +1.500]"),
        row.format("net", "thrifty", "+9.000 | [+8.000, +9.500]"),
        row.format("net", "search", "+0.100 | [-0.100, +0.300]"),
        row.format("strong", "net", "-0.300 | [-0.500, -0.100]"),
    )
    earlier = "\n".join(["# A page\n\n## Dou Dizhu\n", "| one | among | deals |\n|---|---|---|", *rows, ""])
    found = sections(strength.page(OutcomeFile(tmp_path / "none.jsonl"), earlier))
    assert list(found)[:3] == ["", strength.GLANCE, "Dou Dizhu"]
    assert found[strength.GLANCE].splitlines()[-1] == (
        "| Dou Dizhu |  | +1.000 among `greedy`, +0.100 (not significant) among `search` | -0.300 among `net` |"
    )


def test_the_table_of_ratings_has_the_rungs_and_keeps_submitted_rows() -> None:
    row = "| big-two | `my-bot` 3 | +42 | [+20, +64] | `dasan evaluate my-bot --game big-two` |"
    lines = strength.ladder(f"| big-two | `net` 1 | +9 | rung | |\n{row}\n").splitlines()
    rows = {line.split("`")[1]: at for at, line in enumerate(lines) if line.startswith("| big-two |")}
    assert set(rows) == {"my-bot", *(rung.name for rung in ladders()["big-two"].rungs)}
    assert rows["greedy"] < rows["my-bot"] < rows["net"]
    assert lines[rows["my-bot"]] == row
    assert "+104" in lines[rows["net"]]


def test_the_strength_page_tells_of_the_networks_of_the_package() -> None:
    text = sections((Path(__file__).parent.parent / "docs/guide/strength.md").read_text(encoding="utf-8"))["Networks"]
    for one in catalogue():
        (row,) = [line for line in text.splitlines() if line.startswith(f"| `{one.name}` |")]
        assert cells(row)[1] == f"{one.card['hands']:,}"
        assert cells(row)[-1] == one.card["data"]


def test_sights_are_halved_until_the_distance_is_met() -> None:
    """Equal and neighbouring sights are level, full sight plays the network's best move, and the search finds a weaker player."""
    trained = next(one for one in catalogue() if one.name == "big-two")
    network = load(trained)
    assert abs(levels.points(trained, network, 0.6, 0.6, 60)) < 40
    near = [levels.points(trained, network, 0.6, sight, 60) for sight in (0.4, 0.401)]
    assert abs(near[0] - near[1]) < levels.MISSED
    found, gap = levels.weaker(trained, network, 0.6, 75.0, 60)
    assert 0.3 < found < 0.6
    assert gap == pytest.approx(75, abs=levels.MISSED)
    env = dasan.vector.make(trained.rules, 8, seed=1, moves="ragged")
    every = np.arange(8)
    chosen = levels.Sights(trained, network, 1).choose(env, every, np.ones(8))
    scores = Scorer()(env, every, network.weights)
    assert chosen.tolist() == env.legal[every, scores.best() - scores.begin[:-1]].tolist()


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p"])
def test_bids_are_measured_with_the_cards_played_alike(
    preset: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Equal bids earn nothing in any deal, and the rows of others say with which bots, seed and interval."""
    equal = auctions.measured(preset, "thrifty", "greedy", "greedy", 3, 7)
    assert [one.mean for one in equal] == [0, 0, 0]
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    arguments = f"--preset {preset} --cards thrifty --bids always-1 greedy thrifty --deals 3 --seed 7 --page {page}"
    auctions.main(arguments.split())
    rows = [cells(line) for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == list(auctions.FIGURES.columns)
    assert [row[2:6] for row in rows[2:]] == [
        [f"`greedy` {dasan.bot('greedy').version}", "`always-1` 1", "3", "7"],
        ["`thrifty` 1", "`always-1` 1", "3", "7"],
        ["`thrifty` 1", f"`greedy` {dasan.bot('greedy').version}", "3", "7"],
    ]
    found = auctions.measured(preset, "thrifty", "greedy", "always-1", 3, 7)
    assert float(rows[2][6]) == pytest.approx(sum(one.mean for one in found) / 3, abs=0.001)
    assert [cells(line) for line in sections(page.read_text())["Bids"].splitlines() if line.startswith("| `")] == rows[
        2:
    ]


def test_always_1_bids_1_or_nothing() -> None:
    state, heard = dasan.deal(dasan.rules("big-three"), seed=1), []
    while state.phase == "auction":
        move = auctions.AlwaysOne().choose(state.view(state.to_act))
        heard.append(move.bid)
        state = state.play(move)
    assert heard[0] == 1
    assert set(heard) <= {1, None}


def test_open_hands_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Decisions that kept the result, lost it, or were not valued, in a row and in the page."""
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    open_hands.main(["thrifty", "--hands", "2", "--nodes", "2000", "--page", str(page)])
    row = dict(zip(open_hands.FIGURES.columns, cells(capsys.readouterr().out.splitlines()[2]), strict=True))
    hands = [open_hands.kept("thrifty", "big-three", 7000 + k, 2000) for k in range(2)]
    assert int(row["unproved"]) == sum(one["bidder", None] + one["opponent", None] for one in hands)
    assert int(row["decisions"]) == sum(n for one in hands for (_, known), n in one.items() if known is not None) > 0
    assert row["bidder's side"].split(" of ")[1] == str(sum(one["bidder", k] for one in hands for k in (True, False)))
    good = sum(one["bidder", True] + one["opponent", True] for one in hands)
    assert row["kept"] == f"{good / int(row['decisions']):.1%}"
    assert "Open hands" in sections(page.read_text())


def test_decisions_that_are_all_kept_have_an_interval_with_a_width() -> None:
    kept: list[open_hands.Counted] = [Counter({("bidder", True): 5}) for _ in range(6)]
    every = open_hands.share(kept, ["bidder", "opponent"])
    assert (every.mean, every.high) == (1, 1)
    assert every.low == pytest.approx(30 / (30 + 1.96**2), abs=1e-4)
    mixed: list[open_hands.Counted] = [Counter({("bidder", k % 2 == 0): 9}) for k in range(6)]
    assert open_hands.share(mixed, ["bidder"]).high == 1, "whole hands differ more than decisions"


def test_a_partner_is_as_likely_as_the_moves_of_each_seat_make_it() -> None:
    """Seat 1 has the card in half of the worlds, and seat 2 in the other half. Seat 1 plays as seen in half of the worlds of
    either partner; seat 2 in all in which it is the partner, and in one of four otherwise.
    """
    holders = np.array([1, 1, 1, 1, 2, 2, 2, 2])
    never = -1e9
    logs = np.zeros((3, 8))
    logs[1] = [0, never, 0, never, 0, 0, never, never]
    logs[2] = [0, never, never, never, 0, 0, 0, 0]
    assert partners.posterior(holders, logs) == pytest.approx({1: 0.2, 2: 0.8})
    assert partners.posterior(holders[:6], np.zeros((3, 6))) == pytest.approx({1: 2 / 3, 2: 1 / 3})


def test_knowing_the_partner_is_worth_what_the_better_move_gains() -> None:
    """One move gains with each partner; without knowing, the first is chosen."""
    holders = np.repeat([1, 2], partners.PLAYED // 2)
    outcomes = np.where(holders == np.array([[1], [2]]), 1.0, -1.0)
    assert partners.worth_of(outcomes, np.zeros(2), holders) == pytest.approx(1.0)
    assert partners.worth_of(np.ones_like(outcomes), np.zeros(2), holders) == 0.0


def test_another_call_changes_only_the_hands_of_that_bidder() -> None:
    greedy, state = dasan.bot("greedy"), dasan.deal(calls.RULES, seed=1, dealer=1)
    while state.phase == "auction":
        state = state.play(greedy.choose(state.view(state.to_act)))
    assert state.to_act is not None
    found = [calls.hand(1, seat, greedy, greedy) for seat in range(4)]
    assert [one is None for one in found] == [seat != state.to_act for seat in range(4)]
    mine = found[state.to_act]
    assert mine is not None
    assert not mine.own
    assert mine.more["greedy"] == 0
    view = state.view(state.to_act)
    assert calls.shown(view) not in calls.hidden(view).cards
