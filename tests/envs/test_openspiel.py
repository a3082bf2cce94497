"""OpenSpiel's own simulation tests and algorithms on our games, and what they do not ask."""

from __future__ import annotations

import random
from typing import Any

import pytest

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra envs: make envs")

import dasan
from dasan.envs import openspiel as ours
from dasan.features import encode

NAMES = ours.register()


def dealt(game: Any, source: random.Random) -> Any:
    """A state with all cards dealt at random."""
    state = game.new_initial_state()
    while state.is_chance_node():
        places, chances = zip(*state.chance_outcomes(), strict=True)
        assert abs(sum(chances) - 1) < 1e-12
        state.apply_action(source.choices(places, chances)[0])
    return state


def test_every_preset_is_a_game() -> None:
    assert [name.removeprefix("python_dasan_").replace("_", "-") for name in NAMES] == list(dasan.PRESETS)
    assert ours.register() == NAMES
    assert {"python_dasan_big_three", "python_dasan_big_two", "python_dasan_winner"} <= set(pyspiel.registered_names())


@pytest.mark.parametrize("name", NAMES)
def test_simulation(name: str) -> None:
    """`GamesSimTest.sim_game` plays a hand, cloning, serialising and pickling it on the way."""
    from open_spiel.python.tests import games_sim_test

    class Sim(games_sim_test.GamesSimTest):
        def runTest(self) -> None:  # noqa: N802
            self.sim_game(pyspiel.load_game(name))

    outcome = Sim().run()
    assert outcome is not None
    assert [text for _, text in (*outcome.errors, *outcome.failures)] == []


@pytest.mark.parametrize("name", ["python_dasan_big_three", pytest.param("python_dasan_winner", marks=pytest.mark.slow)])
def test_random_simulation(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """`random_sim_test` looks at every string, tensor and probability along a hand."""
    pyspiel.random_sim_test(pyspiel.load_game(name), 1, True, False)


def test_options_are_parameters() -> None:
    game = pyspiel.load_game("python_dasan_winner", {"players": 3, "jokers": True})
    assert game.rules == dasan.rules("winner", players=3, jokers=True)
    assert game.num_players() == 3
    assert str(pyspiel.load_game(str(game))) == str(game)
    for wrong in ({"players": 3, "decks": 2}, {"dealer": 4}):
        with pytest.raises(ValueError, match=r"two decks|dealer"):
            pyspiel.load_game("python_dasan_winner", wrong)


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p", "big-two", "winner"])
def test_a_hand_is_the_engines(preset: str) -> None:
    game = pyspiel.load_game(ours.name_of(preset))
    source = random.Random(preset)
    spiel = dealt(game, source)
    state = spiel.hand
    assert state is not None
    while not spiel.is_terminal():
        player = spiel.current_player()
        assert player == state.to_act
        legal = {game.ids.of(move, state.called): move for move in state.legal_moves()}
        assert spiel.legal_actions() == sorted(legal)
        seen = encode(state.view(player))
        assert spiel.observation_tensor(player)[: len(seen)] == seen
        action = source.choice(sorted(legal))
        spiel.apply_action(action)
        state = state.play(legal[action])
    assert sum(spiel.returns()) == 0
    if preset != "winner":
        assert state.result is not None
        assert tuple(spiel.returns()) == state.result.payments


def test_every_deal_has_one_path() -> None:
    """Two cards for each of two seats: six deals, each once, equally likely."""
    game = pyspiel.load_game("python_dasan_big_two")
    state = game.new_initial_state()
    state._room = [2, 2, 0, 0]
    paths: dict[tuple[int, ...], float] = {}

    def walk(room: list[int], path: tuple[int, ...], chance: float) -> None:
        state._room = room
        if not any(room):
            paths[path] = chance
            return
        for place, p in state.chance_outcomes():
            walk([n - (i == place) for i, n in enumerate(room)], (*path, place), chance * p)

    walk([2, 2, 0, 0], (), 1.0)
    assert len(paths) == 6
    assert all(abs(p - 1 / 6) < 1e-12 for p in paths.values())


def test_information_states_tell_nothing_hidden() -> None:
    """A player's strings and tensors are the same however the others' cards are exchanged."""
    game = pyspiel.load_game("python_dasan_big_two")
    state = dealt(game, random.Random(3))
    places = state.history()
    me = state.current_player()
    others = [i for i, place in enumerate(places) if place != me]
    turned = places[:]
    for i in others:
        turned[i] = {0: 1, 1: 2, 2: 3, 3: 0}[places[i]]
        if turned[i] == me:
            turned[i] = {0: 1, 1: 2, 2: 3, 3: 0}[me]
    again = game.new_initial_state()
    for place in turned:
        again.apply_action(place)
    assert again.current_player() == me
    assert str(again) != str(state)
    assert again.information_state_string(me) == state.information_state_string(me)
    assert again.information_state_tensor(me) == state.information_state_tensor(me)
    assert again.observation_string(me) == state.observation_string(me)
