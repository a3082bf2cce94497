"""However a state was made, its records replay, verify and can be reviewed, for every preset and drawn options (G.03)."""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from tests.backends.proof import endgame
from tests.playing import lively
from tests.vector.covering import drawn_options

import dasan
from dasan import Rules, Session, State, puzzles, vector, worlds
from dasan.bots.external import wire
from dasan.bots.external.speaking import view_of
from dasan.puzzles.position import without_history
from dasan.records.retrace import positions
from dasan.records.verify import verify
from dasan.review.best_play import review

Way = Callable[[Rules, int], Iterator[State]]


def by_deal(rules: Rules, seed: int) -> Iterator[State]:
    yield dasan.deal(rules, seed=seed, dealer=seed % rules.players)


def by_start(rules: Rules, seed: int) -> Iterator[State]:
    """A whole deal as a position, and endgames."""
    begun = dasan.deal(rules, seed=seed).begun
    hands = [[c for c in hand if c is not None] for hand in begun.hands]
    yield dasan.start(rules, hands, kitty=[c for c in begun.kitty if c is not None] or None, dealer=begun.dealer)
    source = random.Random(seed)
    endgames = (endgame(rules, source) for _ in range(4))
    yield from (state for state in endgames if state is not None)


def by_session(rules: Rules, seed: int) -> Iterator[State]:
    session = dasan.session(rules, seed=seed)
    for hand in range(3):
        yield session.state
        if hand == 2:
            return
        source = random.Random(seed + hand)
        while session.state.result is None:
            session = session.play(lively(session.state, source))
        session = session.next_hand()


def by_environments(rules: Rules, seed: int) -> Iterator[State]:
    """The hands of `dasan.vector`, alone and in sessions, by compiled code and by the engine."""
    for session in (False, True):
        for backend in ("auto", "engine"):
            env = vector.make(rules, 1, seed, session=session, backend=backend)
            for hand in range(3):
                yield env.dealt(0)
                assert session or env.first_state(0, hand)() == env.dealt(0)
                while True:
                    env.step(env.legal[:, env.num_legal[0] - 1])
                    if env.done[0]:
                        break


def by_wrappers(rules: Rules, seed: int) -> Iterator[State]:
    """The states behind the environments of other packages, in the middle of a hand."""
    rlcard = pytest.importorskip("dasan.envs.rlcard")
    env = rlcard.make(rules, seed)
    for plies in (0, 9):
        state, _ = env.reset()
        for _ in range(plies):
            if not env.is_over():
                state, _ = env.step(list(state["legal_actions"])[-1])
        yield env._hand.state
    pytest.importorskip("pyspiel")
    from dasan.envs import openspiel

    if rules.options == dasan.rules(rules.name).options:
        import pyspiel

        openspiel.register()
        spiel, source = pyspiel.load_game(openspiel.name_of(rules.name)).new_initial_state(), random.Random(seed)
        while spiel.hand is None or spiel.hand.phase == "auction":
            spiel.apply_action(source.choice(spiel.legal_actions()))
        yield spiel.hand


def by_worlds(rules: Rules, seed: int) -> Iterator[State]:
    """Worlds sampled from a seat's view: in first hands, in later ones, and as the bot protocol sends them."""
    for state in list(by_session(rules, seed))[::2]:
        source = random.Random(seed)
        for ply in range(6):
            if ply in (0, 5):
                view = state.view(state.to_act)
                yield from worlds.sample(view, 1, seed)
                if view.seat is not None:
                    yield from worlds.sample(view_of(wire.hand(view), view.events, view.to_json()), 1, seed)
            if state.to_act is None:
                break
            state = state.play(lively(state, source))


def by_puzzles(rules: Rules, seed: int) -> Iterator[State]:
    ours = [puzzle for puzzle in puzzles.load() if puzzle.state.rules.name == rules.name]
    for puzzle in random.Random(seed).sample(ours, min(2, len(ours))):
        yield puzzle.state
        yield without_history(puzzle.state)


LONG_HANDS = {"winner": 90, "winner-bomb": 90}
"""Where hands have hundreds of plies, records of one state in so many are checked."""
WAYS: dict[str, Way] = {
    "deal": by_deal,
    "start": by_start,
    "session": by_session,
    "environments": by_environments,
    "wrappers": by_wrappers,
    "worlds": by_worlds,
    "puzzles": by_puzzles,
}


def check(state: State, source: random.Random, *, every: int, reviewed: bool) -> Counter[str]:
    """Play a state to its end, and check the record of every `every`-th state."""
    done = Counter[str](hands=1)
    ply = 0
    while True:
        if ply % every == 0 or state.result is not None:
            done += records(state)
        if state.result is not None:
            break
        state = state.play(lively(state, source))
        ply += 1
    assert list(positions(state))[-1] == state
    if reviewed:
        assert len(review(state, nodes=20, seconds=None, memory_mb=1).moves) > 0 or ply == 0
        done["reviews"] += 1
    return done


def records(state: State) -> Counter[str]:
    """Replay and verify the record of a state, of its copies and pickles, its beginning, and each seat's copy."""
    text = state.record()
    again = dasan.replay(text)
    assert isinstance(again, State)
    assert again == state
    assert again.record() == text
    assert verify(text).game == state
    for twin in (copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert twin == state
        assert twin.record() == text
    for seat in (None, *range(state.rules.players)):
        verify(state.record(view=seat))
    lines = text.splitlines(keepends=True)
    moves = [k for k, line in enumerate(lines) if json.loads(line).get("type") in ("bid", "pass", "call", "play")]
    prefixes = 0
    if moves:
        before = "".join(lines[: moves[len(moves) // 2]])
        replayed = dasan.replay(before)
        assert isinstance(replayed, State)
        assert replayed.record() == before
        prefixes = 1
    return Counter(states=1, copies=3, views=state.rules.players + 1, prefixes=prefixes)


def check_way(way: str, preset: str, settings: int, *, every: int, reviewed: bool) -> Counter[str]:
    done = Counter[str]()
    for seed, options in enumerate(drawn_options(preset, settings)):
        source = random.Random(seed)
        for state in WAYS[way](dasan.rules(preset, **options), seed):
            done += check(state, source, every=every, reviewed=reviewed)
        done["settings"] += 1
    return done


@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=pytest.mark.full if way in ("wrappers", "environments") else ()) for way in WAYS]
)
def test_records_of_every_way_of_making_a_state(way: str) -> None:
    preset = "winner" if way in ("session", "worlds") else "big-three"
    assert check_way(way, preset, 1, every=60, reviewed=False)["states"] >= 2


@pytest.mark.sampled(0, 15)
@pytest.mark.full
@pytest.mark.parametrize("preset", dasan.PRESETS)
@pytest.mark.parametrize("way", WAYS)
def test_records_of_every_way_in_every_game(way: str, preset: str) -> None:
    done = check_way(way, preset, 2, every=LONG_HANDS.get(preset, 30), reviewed=True)
    assert done["states"] >= 4 or way == "puzzles"
    print(way, preset, dict(done))  # `pytest -s` shows the counts


def test_a_session_of_environments_is_numbered() -> None:
    """Winner's second hand of a session has an exchange and a leader, which only a hand with a later number may have."""
    env = vector.make("winner", 1, seed=1, session=True)
    numbers = []
    for _ in range(3):
        numbers.append(env.dealt(0).begun.number)  # type: ignore[union-attr]
        while True:
            env.step(env.sample())
            if env.done[0]:
                break
    assert numbers == [1, 2, 3]


def test_only_a_deal_without_a_commitment_may_lack_the_cut() -> None:
    rules = dasan.rules("big-three")
    state = vector.make(rules, 1, seed=1).dealt(0)
    assert state.begun.cut is None  # type: ignore[union-attr]
    assert dasan.replay(state.record()) == state
    shuffled = dasan.deal(rules, seed=1).record().splitlines(keepends=True)
    line = json.loads(shuffled[1])
    del line["cut"], line["cutter"]
    with pytest.raises(dasan.BadRecord, match="does not begin like that"):
        dasan.replay(shuffled[0] + json.dumps(line) + "\n" + "".join(shuffled[2:]))


def test_a_session_is_its_record() -> None:
    session = dasan.session(dasan.rules("winner"), seed=3)
    for again in (copy.copy(session), copy.deepcopy(session), pickle.loads(pickle.dumps(session))):
        assert isinstance(again, Session)
        assert again == session
        assert again.record() == session.record()
