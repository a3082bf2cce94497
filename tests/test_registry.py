"""Games that a program or a package adds: which are accepted, and which are refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import metadata
from importlib.metadata import EntryPoint

import pytest
from tests.cli.running import output

import dasan
from dasan import backends, registry
from dasan.games import PRESETS, Game, Preset, register
from dasan.games.option import Option, Values
from dasan.ruleset import clauses
from dasan.ruleset.shapes import AnyShape, Flush, Kickers, Run, Same

CHAPTER = "# Short\n\n**SG.01** Short hands. Nine cards each."


def build(name: str, chosen: Values, _: frozenset[str]) -> dasan.Rules:
    return replace(dasan.rules("winner"), name=name, settings=(), clauses=("SG.01", "W.02"), jokers=True)


class FirstBot:
    """Plays the first legal move."""

    name = "first"
    version = "1"

    def choose(self, view: dasan.View) -> dasan.Move:
        return view.legal_moves()[0]


SHORT = Preset("short-game", "Short game", (), build)


@pytest.fixture
def added() -> Iterator[None]:
    dasan.register(Game((SHORT,), CHAPTER))
    yield
    PRESETS.remove("short-game")


def test_a_registered_game_is_one_like_the_others(added: None) -> None:
    rules = dasan.rules("short-game")
    assert "short-game" in dasan.PRESETS
    assert list(dasan.PRESETS)[-1] == "short-game"
    assert [clause.title for clause in clauses.in_force(rules)] == ["Short hands", "Cards"]
    assert dasan.replay(dasan.deal(rules, seed=7).record()) == dasan.deal(rules, seed=7)
    register(SHORT)


@pytest.mark.parametrize(
    ("option", "players"),
    [
        (None, (4, 4)),
        (Option("players", 4, None, "SG.01", "How many.", 3, 6), (3, 6)),
        (Option("players", 4, (2, 4, 8), "SG.01", "How many."), (2, 8)),
        (Option("players", "4", ("4", "3"), "SG.01", "How many."), (3, 4)),
    ],
)
def test_numbers_of_players_come_from_a_range_or_from_choices(option: Option | None, players: tuple[int, int]) -> None:
    preset = replace(SHORT, options=() if option is None else (option,))
    assert preset.players() == players
    dasan.register(Game((preset,), CHAPTER))
    try:
        (row,) = (line for line in output("rules").splitlines() if "Short game" in line)
    finally:
        PRESETS.remove("short-game")
    assert row.rstrip().endswith("4" if option is None else f"{players[0]} to {players[1]}")


def test_names_are_checked(added: None) -> None:
    with pytest.raises(ValueError, match="there is a preset 'big-two' already"):
        register(replace(SHORT, name="big-two"))
    with pytest.raises(ValueError, match="there is a preset 'short-game' already"):
        register(replace(SHORT, title="Another"))
    with pytest.raises(ValueError, match="lower-case words joined by hyphens"):
        register(replace(SHORT, name="../Short"))
    with pytest.raises(ValueError, match="a game is a Preset or a Game, not str"):
        register("big-two")  # type: ignore[arg-type]


def test_clauses_are_stated_once(added: None) -> None:
    with pytest.raises(ValueError, match=r"there is a clause W\.02 already"):
        register(Game((replace(SHORT, name="other"),), "**SG.01** Short hands. Nine cards each.\n\n**W.02** Mine. All."))
    assert "other" not in PRESETS
    with pytest.raises(ValueError, match=r"other names clause W\.99, which no chapter states"):
        register(replace(SHORT, name="other", build=lambda *given: replace(build(*given), clauses=("W.99",))))


def test_what_comes_with_dasan_stays() -> None:
    with pytest.raises(ValueError, match="comes with dasan"):
        PRESETS.remove("winner")


def test_a_package_that_fails_is_left_out_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    points = (EntryPoint("good", "os.path:sep", "numbers"), EntryPoint("bad", "no_such_package:THING", "numbers"))
    monkeypatch.setattr(metadata, "entry_points", lambda group: points if group == "numbers" else ())
    numbers: registry.Registry[object] = registry.Registry(
        "number", "numbers", {"one": 1}, lambda n, x: numbers.add(n, x)
    )
    assert numbers["one"] == 1
    with pytest.warns(RuntimeWarning, match="no_such_package:THING adds no number 'bad'"):
        assert list(numbers) == ["one", "good"]
    assert numbers["good"] == "/"
    assert len(numbers) == 2


def test_a_bot_of_another_program() -> None:
    dasan.bots.register("first", lambda seed: FirstBot())
    try:
        state = dasan.deal(dasan.rules("big-two"), seed=7)
        assert dasan.bot("first").choose(state.view(state.to_act)) == state.legal_moves()[0]
        assert "first" in dasan.bots.BOTS
        with pytest.raises(ValueError, match="there is a bot 'greedy' already"):
            dasan.bots.register("greedy", lambda seed: FirstBot())
        with pytest.raises(ValueError, match="made by a function"):
            dasan.bots.register("second", FirstBot())  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"such as lambda seed: MyBot\(\), not by <class"):
            dasan.bots.register("second", FirstBot)  # type: ignore[arg-type]
    finally:
        dasan.bots.BOTS.remove("first")


def test_what_another_kind_beats_is_a_group_of_one_rank() -> None:
    rules = dasan.rules("winner")
    single, pair, *others = rules.shapes
    with pytest.raises(ValueError, match="groups of one rank"):
        replace(rules, shapes=(single, replace(pair, also_beats=(("straight", "2"),)), *others))
    with pytest.raises(ValueError, match="groups of one rank"):
        replace(rules, shapes=(single, replace(pair, also_beats=(("single", "10"),)), *others))
    stronger = replace(rules, shapes=(single, replace(pair, also_beats=(("single", "K"),)), *others))
    pair_of_threes = stronger.combination("3D 3C")
    assert [pair_of_threes.beats(stronger.combination(card)) for card in ("QS", "KD", "2S")] == [False, True, True]
    assert dasan.Rules.from_json(stronger.to_json()) == stronger
    assert stronger.digest != rules.digest
    with pytest.raises(ValueError, match="also_beats"):
        backends.choose(stronger, backends.Purpose.ENVIRONMENTS, "compiled")
    assert backends.choose(stronger, backends.Purpose.ENVIRONMENTS).name == "engine"


@pytest.mark.parametrize(
    "excluded",
    [
        (Kickers(kind="plane", clause="DD.05", copies=0, side=0, sides=0, sequence="345", shortest=1, longest=1),),
        (Flush(kind="flush", clause="H.09", size=99),),
        (Same(kind="single", clause="x" * 5_000, count=1),),
        tuple(Same(kind="single", clause="D2.03", count=1) for _ in range(100)),
        (Run(kind="run", clause="H.35", copies=1, sequence="3" * 2_000_000, shortest=3, longest=3),),
    ],
    ids=["kickers", "flush", "text", "many", "sequence"],
)
def test_shapes_that_are_taken_out_are_checked_too(excluded: tuple[AnyShape, ...]) -> None:
    """A stranger's record may hold them, and a refusal reads them (G.01)."""
    with pytest.raises(ValueError, match=r"group|flush|text|kinds|sequence"):
        replace(dasan.rules("big-two"), excluded=excluded)
