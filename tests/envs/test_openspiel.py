"""OpenSpiel's own simulation tests and algorithms on our games, and what they leave out."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra envs: make envs")

import dasan
from dasan.envs import openspiel as ours
from dasan.features import encode
from dasan.games import TEACHING

pytestmark = pytest.mark.full

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
    assert [name.removeprefix("python_dasan_").replace("_", "-") for name in NAMES] == [*dasan.PRESETS, *TEACHING]
    assert ours.register() == NAMES
    assert {"python_dasan_big_three", "python_dasan_big_two", "python_dasan_winner"} <= set(pyspiel.registered_names())


@pytest.mark.sampled(5, 8)
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
    short = pyspiel.load_game("python_dasan_big_three", {"pack": 46})
    assert short.rules == dasan.rules("big-three", pack="46")
    for one in (short, pyspiel.load_game("python_dasan_big_three")):
        assert pickle.loads(pickle.dumps(one)).rules == pyspiel.load_game(str(one)).rules == one.rules
    for wrong in ({"players": 3, "decks": 2}, {"dealer": 4}):
        with pytest.raises(ValueError, match=r"decks|dealer"):
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


def test_dd_02_chance_draws_who_opens_the_auction() -> None:
    game = pyspiel.load_game("python_dasan_dou_dizhu")
    first = game.new_initial_state()
    assert game.max_chance_nodes_in_history() == 55
    assert first.chance_outcomes() == [(seat, pytest.approx(1 / 3)) for seat in range(3)]
    for seat in range(3):
        state, source = first.child(seat), random.Random(seat)
        while state.is_chance_node():
            state.apply_action(source.choice(state.legal_actions()))
        assert (state.current_player(), state.hand.opener) == (seat, seat)
    fixed = pyspiel.load_game("python_dasan_dou_dizhu", {"dealer": 1}).new_initial_state()
    assert len(fixed.chance_outcomes()) == 4
    drawn = [name for name in NAMES if pyspiel.load_game(name).dealer == ours.DRAWN]
    assert drawn == ["python_dasan_dou_dizhu"]  # as the page of environments says
    assert len(pyspiel.load_game("python_dasan_big_three").new_initial_state().chance_outcomes()) == 4


GAMES: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in NAMES] + [
    ("python_dasan_big_three", {"dealer": -1}),
    ("python_dasan_big_two", {"dealer": 2}),
    ("python_dasan_winner", {"players": 6, "decks": 2, "jokers": True, "dealer": -1}),
    ("python_dasan_winner", {"players": 3, "scoring": "cards"}),
]


@pytest.mark.sampled(6, 8)
@pytest.mark.parametrize(("name", "parameters"), GAMES)
def test_compiled_code_and_the_engine_give_the_same_answers(name: str, parameters: dict[str, Any]) -> None:
    """Two games side by side, one of which only the engine plays."""
    fast, slow = pyspiel.load_game(name, parameters), pyspiel.load_game(name, parameters)
    slow.__dict__["desk"] = None
    source = random.Random(name)
    for hand in range(8):
        one, other = fast.new_initial_state(), slow.new_initial_state()
        while not other.is_terminal():
            assert one.current_player() == other.current_player()
            assert one.is_chance_node() == other.is_chance_node()
            assert not one.is_terminal()
            legal = other.legal_actions()
            assert one.legal_actions() == legal
            assert one.legal_actions(other.current_player()) == legal
            assert pyspiel.State.legal_actions(one) == legal
            assert one.returns() == other.returns()
            action = source.choice(legal)
            assert one.action_to_string(action) == other.action_to_string(action)
            if hand == 0 and not one.is_chance_node():
                player = source.randrange(one.num_players())
                assert one.legal_actions(player) == (legal if player == one.current_player() else [])
                assert one.information_state_string(player) == other.information_state_string(player)
                assert one.observation_tensor(player) == other.observation_tensor(player)
            one.apply_action(action)
            other.apply_action(action)
        assert one.is_terminal()
        assert one.legal_actions() == []
        assert one.returns() == other.returns()
        assert str(one) == str(other)


def test_which_games_are_compiled() -> None:
    compiled = {name for name in NAMES if pyspiel.load_game(name).desk is not None}
    assert compiled == {name for name in NAMES if not name.endswith("_tiny")}


def test_an_illegal_action_changes_nothing() -> None:
    state = dealt(pyspiel.load_game("python_dasan_big_three"), random.Random(5))
    before = str(state)
    wrong = next(a for a in range(state.num_distinct_actions()) if a not in state.legal_actions())
    with pytest.raises(ValueError, match=f"action {wrong} is not legal now"):
        state.apply_action(wrong)
    assert str(state) == before
    with pytest.raises(ValueError, match="9 is not an outcome here"):
        pyspiel.load_game("python_dasan_big_three").new_initial_state().apply_action(9)


def test_an_agent_that_reads_plays_by_numbers() -> None:
    game = pyspiel.load_game("python_dasan_big_three")
    with pytest.raises(ValueError, match="once all cards are dealt"):
        game.new_initial_state().described(0)
    state = dealt(game, random.Random(3))
    while not state.is_terminal():
        player = state.current_player()
        seen, view = state.described(player, "fr"), state.hand.view(player)
        assert seen["text"] == view.describe("fr")
        assert sorted(seen["actions"]) == state.legal_actions()
        assert state.action_to_string(seen["actions"][0]) == str(view.legal_moves()[0])
        assert state.described((player + 1) % 3)["actions"] == []
        state.apply_action(seen["actions"][0])
    assert state.described(0)["actions"] == []


def test_clones_go_their_own_ways() -> None:
    """A clone and a pickle continue from where they were made, whatever the state does later."""
    source = random.Random(4)
    state = pyspiel.load_game("python_dasan_winner").new_initial_state()
    for ply in range(90):
        legal = state.legal_actions()
        others = [state.clone(), pickle.loads(pickle.dumps(state))] if ply % 15 == 5 else []
        state.apply_action(source.choice(legal))
        for other in others:
            assert other.legal_actions() == legal
            while not other.is_terminal():
                other.apply_action(source.choice(other.legal_actions()))
            assert len(other.history()) > ply


def test_threads_share_a_game() -> None:
    game = pyspiel.load_game("python_dasan_big_three")
    game.new_initial_state()

    def play(seed: int) -> str:
        source = random.Random(seed)
        state = dealt(game, source)
        while not state.is_terminal():
            state.apply_action(source.choice(state.legal_actions()))
        return f"{state} {state.returns()}"

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(play, range(24)))
    assert together == [play(seed) for seed in range(24)]


def test_every_deal_has_one_path() -> None:
    """Six cards, two for each of three seats: ninety deals, each once, equally likely."""
    paths: dict[str, float] = {}

    def walk(state: Any, chance: float) -> None:
        if not state.is_chance_node():
            assert state.hand is not None
            text = str(state.hand.hands)
            assert text not in paths
            paths[text] = chance
            return
        for place, p in state.chance_outcomes():
            walk(state.child(place), chance * p)

    walk(pyspiel.load_game("python_dasan_winner_tiny").new_initial_state(), 1.0)
    assert len(paths) == 90
    assert all(abs(p - 1 / 90) < 1e-12 for p in paths.values())


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


def test_equilibrium_algorithms_run_on_a_teaching_variant() -> None:
    """Exploitability and CFR unchanged, and bots as policies: CFR approaches an equilibrium, and greedy, which can
    deduce all cards of two players, plays one.
    """
    from open_spiel.python.algorithms import cfr, exploitability
    from open_spiel.python.policy import UniformRandomPolicy

    game = pyspiel.load_game("python_dasan_big_two_tiny")
    solver = cfr.CFRPlusSolver(game)
    for _ in range(4):
        solver.evaluate_and_update_policy()
    uniform, greedy, solved = (
        exploitability.nash_conv(game, policy)
        for policy in (UniformRandomPolicy(game), ours.BotPolicy(game, "greedy"), solver.average_policy())
    )
    assert uniform == pytest.approx(1.0902777777777777)
    with pytest.raises(TypeError, match="takes a game, such as one from pyspiel"):
        ours.BotPolicy("greedy", game)  # type: ignore[arg-type]
    assert greedy == pytest.approx(0)
    assert 0 < solved < 0.2


def test_searches_run_on_a_teaching_variant() -> None:
    """MCTS with open hands, and IS-MCTS over what a player knows."""
    import numpy as np
    from open_spiel.python.algorithms import ismcts, mcts

    game = pyspiel.load_game("python_dasan_big_three_tiny")
    state = dealt(game, random.Random(1))
    source = np.random.RandomState(1)
    rollout = mcts.RandomRolloutEvaluator(1, source)
    assert mcts.MCTSBot(game, 2.0, 10, rollout, random_state=source).step(state) in state.legal_actions()
    bot = ismcts.ISMCTSBot(game, rollout, 2.0, 10, random_state=source)
    assert bot.step(state) in state.legal_actions()


@pytest.mark.parametrize("preset", ["big-three", "big-two", "winner"])
def test_hidden_cards_are_redealt(preset: str) -> None:
    source = random.Random(2)
    state = dealt(pyspiel.load_game(ours.name_of(preset)), source)
    for _ in range(9):
        state.apply_action(source.choice(state.legal_actions()))
    me = state.current_player()
    others = [state.resample_from_infostate(me, source.random) for _ in range(3)]
    for other in others:
        assert other.information_state_string(me) == state.information_state_string(me)
        assert other.legal_actions() == state.legal_actions()
    assert len({str(other) for other in others}) == 3


@pytest.mark.parametrize("variant", ["big_three_tiny", "big_three_small", "big_two_tiny", "winner_tiny"])
def test_hidden_cards_are_redealt_at_every_node_of_a_teaching_variant(variant: str) -> None:
    """The bidder of big-three-tiny takes up a kitty without cards."""
    source = random.Random(5)
    state = dealt(pyspiel.load_game(f"python_dasan_{variant}"), source)
    while not state.is_terminal():
        for player in range(state.num_players()):
            other = state.resample_from_infostate(player, source.random)
            assert other.information_state_string(player) == state.information_state_string(player)
        state.apply_action(source.choice(state.legal_actions()))


@pytest.mark.parametrize("ending", ["first-out", "last-in"])
def test_h_27_hidden_cards_are_redealt_with_the_card_left_over(ending: str) -> None:
    """At every node of a hand, for every player; the card may be one that its taker has played."""
    source = random.Random(4)
    state = dealt(pyspiel.load_game("python_dasan_big_two", {"players": 3, "guard": "off", "ending": ending}), source)
    taker = next(event.seat for event in state.hand.events if event.type == "kitty")
    among_played = 0
    while True:
        played = {
            card for event in state.hand.events if event.type == "play" and event.seat == taker for card in event.cards
        }
        for player in range(3):
            other = state.resample_from_infostate(player, source.random)
            assert other.information_state_string(player) == state.information_state_string(player)
            among_played += not state.is_terminal() and player != taker and other.hand.begun.kitty[0] in played
        if state.is_terminal():
            break
        actions = state.legal_actions()
        state.apply_action(actions[-1] if state.current_player() == taker else actions[0])
    assert taker in state.hand.finished
    assert among_played > 5


def test_h_31_hidden_cards_are_redealt_around_a_dragon() -> None:
    game = pyspiel.load_game("python_dasan_big_two", {"players": 3, "dragon": True})
    state, room = game.new_initial_state(), [17, 17, 17, 1]
    for card in game.deck:
        place = 1 if card.suit == "S" else next(place for place in (0, 2, 3, 1) if room[place])
        room[place] -= 1
        state.apply_action(place)
    assert state.is_terminal()
    for player in range(3):
        other = state.resample_from_infostate(player, random.Random(1).random)
        assert other.information_state_string(player) == state.information_state_string(player)


KINDS = {
    "information state": pyspiel.IIGObservationType(perfect_recall=True),
    "observation": pyspiel.IIGObservationType(perfect_recall=False),
    "public history": pyspiel.IIGObservationType(True, True, pyspiel.PrivateInfoType.NONE),
    "public observation": pyspiel.IIGObservationType(True, False, pyspiel.PrivateInfoType.NONE),
}


def test_one_observer_does_not_change_the_strings_of_another() -> None:
    game = pyspiel.load_game("python_dasan_big_two")
    state = dealt(game, random.Random(6))
    for _ in range(5):
        state.apply_action(state.legal_actions()[0])
    kinds = [
        pyspiel.IIGObservationType(public, recall, private)
        for public in (True, False)
        for recall in (True, False)
        for private in (pyspiel.PrivateInfoType.NONE, pyspiel.PrivateInfoType.SINGLE_PLAYER)
    ]
    observers = [game.make_py_observer(kind) for kind in kinds]
    alone = [observer.string_from(pickle.loads(pickle.dumps(state)), 2) for observer in observers]
    for order in (1, -1):
        again = pickle.loads(pickle.dumps(state))
        assert [observer.string_from(again, 2) for observer in observers[::order]] == alone[::order]


def separated(game: Any, walk: Callable[[Any, Callable[[Any], None]], None]) -> int:
    """Walk over states, and check that the tensor and the string of each kind distinguish the same ones. Returns the
    pairs seen.
    """
    observers = {kind: game.make_py_observer(about) for kind, about in KINDS.items()}
    strings: dict[object, str] = {}
    tensors: dict[object, bytes] = {}

    def look(state: Any) -> None:
        for player in range(game.num_players()):
            for kind, observer in observers.items():
                observer.set_from(state, player)
                tensor, string = observer.tensor.tobytes(), observer.string_from(state, player)
                assert strings.setdefault((kind, player, tensor), string) == string
                assert tensors.setdefault((kind, player, string), tensor) == tensor

    walk(game.new_initial_state(), look)
    return len(strings)


def hands_at_random(count: int, seed: int) -> Callable[[Any, Callable[[Any], None]], None]:
    def walk(state: Any, look: Callable[[Any], None]) -> None:
        source = random.Random(seed)
        for _ in range(count):
            one = state.clone()
            while not one.is_terminal():
                look(one)
                one.apply_action(source.choice(one.legal_actions()))
            look(one)

    return walk


def everywhere(state: Any, look: Callable[[Any], None]) -> None:
    look(state)
    for action in state.legal_actions():
        everywhere(state.child(action), look)


def test_tensors_and_strings_tell_the_same_states_apart() -> None:
    game = pyspiel.load_game("python_dasan_big_three_tiny", {"dealer": -1})
    assert separated(game, hands_at_random(60, 1)) > 1_000


@pytest.mark.full
@pytest.mark.parametrize(
    "name", [pytest.param("python_dasan_big_three_tiny", marks=pytest.mark.slow), "python_dasan_big_two_tiny"]
)
def test_tensors_and_strings_tell_the_same_states_apart_everywhere(name: str) -> None:
    assert separated(pyspiel.load_game(name), everywhere) > 5_000


@pytest.mark.sampled(0, 6)
@pytest.mark.parametrize(("name", "parameters"), GAMES)
def test_tensors_and_strings_tell_the_same_states_apart_in_every_game(name: str, parameters: dict[str, Any]) -> None:
    assert separated(pyspiel.load_game(name, parameters), hands_at_random(3, 2)) > 100
