"""Public entry points called with rules drawn over all options and fields; `REFUSALS` says what each may refuse."""

from __future__ import annotations

import io
import json
import random
import re
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import numpy as np
from tests.backends.variations import all_changes, changed
from tests.playing import lively
from tests.properties import strange

import dasan
from dasan import Rules, State, vector, worlds
from dasan.features.observation import encode
from dasan.records.verify import verify
from dasan.review.best_play import review
from dasan.review.chart import picture
from dasan.review.expected import known
from dasan.review.report import Report
from dasan.ruleset.policies import OptionValue
from dasan.tui.game import TableGame
from dasan.tui.plain import run

SOURCE = Path(dasan.__file__).parent
LANGUAGES = ("en", "fr", "zh-Hans", "zh-Hant")
QUICK_BOTS = ("random", "low", "shed", "thrifty", "greedy")
Entry = Callable[[Rules, int], object]


CLAUSE = re.compile(r"\([A-Z]+\d?\.\d\d(, [A-Z]+\d?\.\d\d)*\)$")


class UnclearError(AssertionError):
    """A refusal that dasan does not raise on purpose, or that does not fit into one line."""


def drawn(seed: int, options_alone: bool = False) -> Rules:
    """Rules over all options, all fields, or both. Options that contradict each other are refused with a clause."""
    rng = random.Random(seed)
    while True:
        preset = dasan.PRESETS[rng.choice(list(dasan.PRESETS))]
        likely = rng.choice((0.2, 0.5, 1.0))
        options = {
            option.name: rng.choice(option.choices)
            if option.choices is not None
            else rng.randint(option.minimum, option.maximum)
            for option in preset.options
            if rng.random() < likely
        }
        try:
            rules = preset.rules(options)
        except ValueError as error:
            clear(error)
            assert CLAUSE.search(str(error)), error
            continue
        match 3 if options_alone else rng.randrange(4):
            case 0:
                other = changed(rules, rng.sample(list(all_changes(rules)), rng.randint(1, 4)))
            case 1:
                other = strange.rules(rng)
            case _:
                other = rules
        if other is not None:
            return other


def clear(error: Exception) -> None:
    """Whether a refusal is raised by dasan on purpose and is one readable line."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    own = Path(frame.filename).is_relative_to(SOURCE) and (frame.line or "").startswith("raise ")
    if not own or not str(error).isprintable() or not 0 < len(str(error)) < 600:
        raise UnclearError("".join(traceback.format_exception(error))) from error


def played(rules: Rules, seed: int, plies: int) -> State:
    state, source = dasan.deal(rules, seed=seed, dealer=seed % rules.players), random.Random(seed)
    for _ in range(plies):
        if state.to_act is None:
            break
        state = state.play(lively(state, source))
    return state


def stops(rules: Rules, seed: int) -> list[State]:
    return [played(rules, seed, plies) for plies in (0, 6, 21, 2_000)]


def records(rules: Rules, seed: int) -> None:
    for state in stops(rules, seed):
        text = state.record()
        assert dasan.replay(text) == verify(text).game == state
        for seat in (None, *range(rules.players)):
            verify(state.record(view=seat))
    session = dasan.session(rules, seed=seed)
    source = random.Random(seed)
    for hand in range(3):
        while session.state.to_act is not None:
            session = session.play(lively(session.state, source))
        if hand < 2:
            session = session.next_hand()
    again = dasan.replay(session.record())
    assert again == session
    assert Rules.from_json(json.loads(json.dumps(rules.to_json()))) == rules


def words(rules: Rules, seed: int) -> None:
    for state in stops(rules, seed):
        for seat in (None, *range(rules.players)):
            view = state.view(seat)
            json.dumps(view.to_json())
            assert all(view.describe(language).isprintable() is False for language in LANGUAGES)


def terminal(rules: Rules, seed: int) -> None:
    bots = [dasan.bot("greedy", seed=i) for i in range(rules.players - 1)]
    lines = ["?", "rules", "hand", "moves", "hint", "nonsense", "pass", "bid 1", "next"]
    lines += [str(random.Random(seed).choice("3456789TJQKA2")) for _ in range(30)] + ["hint", "moves", "next"]
    out = io.StringIO()
    run(TableGame(rules, bots, seed=seed), io.StringIO("\n".join(lines)), out)
    assert out.getvalue()


def simple_bots(rules: Rules, seed: int) -> None:
    for state in stops(rules, seed):
        if state.to_act is not None:
            view = state.view(state.to_act)
            for name in QUICK_BOTS:
                bot = dasan.bot(name, seed=seed)
                assert bot.choose(view) == bot.explain(view).moves[0].move
            assert all(reason.text for one in dasan.bot("greedy").explain(view).moves for reason in one.reasons)


def searching_bots(rules: Rules, seed: int) -> None:
    state = played(rules, seed, 12)
    if state.to_act is not None:
        view = state.view(state.to_act)
        for name in ("net", "search", "level-3"):
            bot = dasan.bot(name, seed=seed)
            assert bot.choose(view) in state.legal_moves()
            assert bot.explain(view).moves


def sampled_worlds(rules: Rules, seed: int) -> None:
    for state in stops(rules, seed):
        for seat in (None, state.to_act):
            view = state.view(seat)
            drawn_worlds = worlds.sample(view, 2, seed)
            assert all(world.view(seat) == view for world in drawn_worlds)
            assert worlds.deals(view, 2, seed).hand(0, 0) == drawn_worlds[0].hands[0]


def positions(rules: Rules, seed: int) -> None:
    state = played(rules, seed, 9)
    if state.to_act is None:
        return
    where = worlds.Positions(rules, 2)
    where.put(0, state)
    where.copy(0, 1)
    assert len(where.legal(0)) == len(where.legal(1)) > 0
    where.play_out(policy="random", seed=seed)
    if len(state.legal_moves()) > 1:
        worlds.judge(state.view(state.to_act), worlds=2, seed=seed).best()


def batches(rules: Rules, seed: int) -> None:
    backend = random.Random(seed).choice(("auto", "engine", "compiled"))
    env = vector.make(rules, 2, seed, session=seed % 2 == 0, moves=seed % 3 == 0, backend=backend)  # type: ignore[arg-type]
    for _ in range(60):
        env.step(env.sample())
        assert (env.num_legal > 0).all()
        assert (env.rewards.sum(axis=1) == 0).all()
    env.dealt(0).record()


def wrappers(rules: Rules, seed: int) -> None:
    from dasan.envs import gymnasium, pettingzoo, rlcard

    aec = pettingzoo.env(rules, max_cycles=3, render_mode="ansi")
    aec.reset(seed=seed)
    for agent in aec.agent_iter(40):
        seen, _, ended, cut, _ = aec.last()
        assert agent in aec.possible_agents
        aec.step(None if ended or cut else int(np.flatnonzero(seen["action_mask"])[0]))
    aec.render()
    pettingzoo.parallel_env(rules).reset(seed=seed)
    alone = gymnasium.make(rules, opponents="random", render_mode="ansi")
    seen, _ = alone.reset(seed=seed)
    for _ in range(20):
        seen, _, ended, _, _ = alone.step(int(np.flatnonzero(seen["action_mask"])[0]))
        if ended:
            break
    alone.render()
    batch = gymnasium.make_vec(rules, 2)
    seen, _ = batch.reset(seed=seed)
    for _ in range(30):
        seen, *_ = batch.step(np.array([np.flatnonzero(mask)[-1] for mask in seen["action_mask"]]))
    cards = rlcard.make(rules, seed)
    state, _ = cards.reset()
    while not cards.is_over():
        state, _ = cards.step(next(iter(state["legal_actions"])))
    cards.get_payoffs()


def _number(value: OptionValue) -> OptionValue:
    """A value as OpenSpiel takes it: "52" is a number."""
    return int(value) if isinstance(value, str) and value.isdigit() else value


def openspiel(rules: Rules, seed: int) -> None:
    import pyspiel

    from dasan.envs import openspiel as ours

    ours.register()
    game = pyspiel.load_game(ours.name_of(rules.name), {name: _number(value) for name, value in rules.options.items()})
    state, source = game.new_initial_state(), random.Random(seed)
    for _ in range(90):
        if state.is_terminal():
            break
        state.apply_action(source.choice(state.legal_actions()))
    str(state)
    if state.current_player() >= 0:
        state.information_state_string(), state.information_state_tensor(), state.observation_string()


def reviews(rules: Rules, seed: int) -> None:
    over = played(rules, seed, 2_000)
    judged = review(over, nodes=40, seconds=None, memory_mb=1)
    report = Report(judged)
    assert report.rows is not None
    assert report.summary
    assert picture(judged)
    for estimate in list(known(over, worlds=2))[:3]:
        estimate.to_json()


def solving(rules: Rules, seed: int) -> None:
    for state in stops(rules, seed)[:3]:
        if state.to_act is not None:
            dasan.solve(state, nodes=100, seconds=None, memory_mb=1)


def observations(rules: Rules, seed: int) -> None:
    for state in stops(rules, seed):
        for seat in range(rules.players):
            encode(state.view(seat))


ENTRIES: dict[str, Entry] = {
    "records": records,
    "words": words,
    "terminal": terminal,
    "simple bots": simple_bots,
    "searching bots": searching_bots,
    "worlds": sampled_worlds,
    "positions": positions,
    "batches": batches,
    "wrappers": wrappers,
    "openspiel": openspiel,
    "reviews": reviews,
    "solving": solving,
    "observations": observations,
}


OPTIONS_ALONE = ("openspiel",)
"""Entry points that take rules by the name of a preset and its options."""


def _unplayed(text: str, wanted: str) -> list[str]:
    """The first field that each backend does not honour, from the refusal of all of them; empty if it is another text."""
    said = re.fullmatch(rf"no {wanted} plays these rules \((environments|worlds)\): (.*)", text)
    named = [re.match(r"\w+: (\w+)(\.most_doublings)?", one) for one in said[2].split("; ")] if said else []
    names = [one[1] + (one[2] or "") if one else "" for one in named]
    known = {field.name for field in fields(Rules)} | {"scoring.most_doublings"}
    return names if known.issuperset(names) else []


def too_many_doublings(text: str) -> bool:
    """No backend plays the rules, the engine because payments might not fit into 32 bits (H.15)."""
    return _unplayed(text, "backend")[-1:] == ["scoring.most_doublings"]


def not_compiled(text: str) -> bool:
    """No backend plays the rules, or no compiled one where that was wanted."""
    return too_many_doublings(text) or bool(_unplayed(text, "compiled backend"))


REFUSALS: dict[str, Callable[[str], bool]] = {
    "batches": not_compiled,
    "positions": too_many_doublings,
    "wrappers": too_many_doublings,
    "reviews": too_many_doublings,
}
"""By entry point, what it may refuse; the others answer whatever the rules."""


def tried(name: str, seeds: range) -> Counter[str]:
    """An entry point with the rules of these seeds: how often it answered and refused."""
    done = Counter[str]()
    for seed in seeds:
        rules = drawn(seed, name in OPTIONS_ALONE)
        try:
            ENTRIES[name](rules, seed)
        except Exception as error:
            error.add_note(f"{name}, rules of seed {seed}: {json.dumps(rules.to_json())}")
            if name not in REFUSALS or not REFUSALS[name](str(error)):
                raise
            clear(error)
            done["refused"] += 1
        else:
            done["answered"] += 1
    return done
