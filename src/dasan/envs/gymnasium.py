"""Gymnasium environments: one seat against bots, and many hands at once on the buffers of the batched environments.

`make` and `make_vec` build them directly; `gymnasium.make("dasan/big-three-v0")` and `gymnasium.make_vec` know every
preset once this module has been imported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from dasan.arrays import Longs

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.envs.registration import EnvSpec
    from gymnasium.vector import AutoresetMode, SyncVectorEnv
    from gymnasium.vector import VectorEnv as GymnasiumVectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("Gymnasium environments need their extra: pip install 'dasan[envs]'") from error

import dasan.vector
from dasan.arguments import WrongType, shown, whole, word
from dasan.bots import Bot, bot
from dasan.envs.ended import Final, PastHand, Story
from dasan.envs.hand import Copied, HandEnv, described, language_of
from dasan.envs.payoff import bounds
from dasan.envs.show import rendered
from dasan.games import PRESETS, rules_of
from dasan.ruleset.places import place_points
from dasan.ruleset.policies import OptionValue
from dasan.ruleset.rules import Rules
from dasan.vector.earnings import earnings

Array = npt.NDArray[Any]
Observed = dict[str, Array]
Illegal = Literal["end", "raise"]
ILLEGAL: tuple[Illegal, ...] = ("end", "raise")
MODES = ("human", "ansi")
MOST_ALONE = 100_000
"""The most environments with bots that `make_vec` makes, because each is a separate object."""


def _space(num_features: int, num_actions: int) -> spaces.Dict:
    return spaces.Dict(
        observation=spaces.Box(0, 255, (num_features,), np.uint8),
        action_mask=spaces.Box(0, 1, (num_actions,), np.int8),
    )


class DasanEnv(Copied, gymnasium.Env):
    """One seat of one hand; bots play the others. An episode is a hand.

    Observation: `{"observation": uint8 [num_features], "action_mask": int8 [num_actions]}`, new arrays each time; the
    numbers are those of `dasan.vector`. Action: an id, see `dasan.vector`. Reward: 0 until the hand is over, then the
    payment of this seat in units, or in games without payments (Winner) (seats + 1) / 2 - place. If the hand is over
    before this seat has played, the first step ends the episode, whatever its action. With `text`, `info` has sentences
    about what this seat sees (`text`), and the action of each move that they number (`actions`), see `hand.described`.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(MODES), "render_fps": 1}

    def __init__(
        self,
        preset: str | Rules,
        *,
        opponents: str | Bot | Sequence[str | Bot],
        seat: int | None,
        illegal: Illegal,
        render_mode: str | None,
        text: str | None,
        options: dict[str, OptionValue],
    ) -> None:
        self._language = language_of(text)
        render_mode = word(render_mode, (None, *MODES), "render_mode")
        illegal = word(illegal, ILLEGAL, "illegal")
        self._hand = HandEnv(preset, options)
        self.rules = self._hand.rules
        self.ids = self._hand.env.ids
        n = self.rules.players
        seat = None if seat is None else whole(seat, "seat", 0, n - 1)
        others: Any = [opponents] * (n - 1) if isinstance(opponents, str) or hasattr(opponents, "choose") else opponents
        if not isinstance(others, Sequence) or not all(isinstance(o, str) or hasattr(o, "choose") for o in others):
            raise WrongType(f"opponents are a bot, or one for each other seat, not {shown(opponents)}")
        if len(others) != n - 1:
            raise ValueError(f"{self.rules.name} takes {n - 1} opponents, not {len(others)}")
        self._bots = [bot(o, seed=k, rules=self.rules) if isinstance(o, str) else o for k, o in enumerate(others)]
        self._fixed = seat
        self.seat = self._fixed or 0
        self._illegal = illegal
        self.render_mode = render_mode
        self.observation_space = _space(self._hand.env.num_features, self._hand.env.num_actions)
        self.action_space = spaces.Discrete(self._hand.env.num_actions)
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """Deal a hand. seed: determines this hand and the following ones, whatever is played in them; None continues
        the last seed. `options` are ignored.
        """
        super().reset(seed=None if seed is None else whole(seed, "seed", 0))
        self._hand.next(int(self.np_random.integers(1 << 62)))
        n = self.rules.players
        self.seat = int(self.np_random.integers(n)) if self._fixed is None else self._fixed
        self._players = {(self.seat + 1 + k) % n: player for k, player in enumerate(self._bots)}
        self._over = False
        self._let_others_play()
        return self._observed(), self._about()

    def step(self, action: Any) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        """Carry out this seat's action, then the bots' until its next turn or the end of the hand.

        An illegal action ends the episode with the worst possible payment and sets `info["illegal"]`; with
        `illegal="raise"` it raises a ValueError and changes nothing. ValueError: the hand is over.
        """
        if self._over:
            raise ValueError("the hand is over: call reset")
        if not self._hand.over:
            number = whole(action, "an action")
            try:
                self._hand.play(number)
            except ValueError:
                if self._illegal == "raise":
                    raise
                self._over = True
                return self._observed(), bounds(self.rules)[0], True, False, {**self._about(), "illegal": True}
            self._let_others_play()
        self._over = self._hand.over
        info = self._about()
        reward = self._hand.payoffs[self.seat] if self._over else 0.0
        if self._over:
            info["payoffs"] = list(self._hand.payoffs)
        if self.render_mode == "human":
            self.render()
        return self._observed(), reward, self._over, False, info

    def _let_others_play(self) -> None:
        while (to_act := self._hand.to_act) is not None and to_act != self.seat:
            env, state = self._hand.env, self._hand.state
            move = self._players[to_act].choose(state.view(to_act))
            self._hand.play(env.ids.of(move, state.called))

    def _about(self) -> dict[str, Any]:
        return {"seat": self.seat, **self._hand.described(self.seat, self._language)}

    def _observed(self) -> Observed:
        return {"observation": self._hand.observation(self.seat), "action_mask": self._hand.mask(self.seat)}

    def render(self) -> Any:
        """The hand as text, with all cards open; `render_mode="human"` prints it."""
        return rendered(self._hand.state, self.render_mode)


class DasanVectorEnv(Copied, GymnasiumVectorEnv):
    """`num_envs` hands in which one policy plays every seat: self-play, on the buffers of `dasan.vector`.

    Each step carries out the action of the seat to act in every hand. Observations are the environments' own buffers,
    not copies: the next step overwrites them. Rewards go to the seat that has just acted: 0 until it ends the hand.
    `info["payoffs"]` has the payment to each seat (float32 [n, seats], 0 during a hand), `info["to_act"]` the seat to
    act (int8 [n]). The step that ends a hand also deals the next one (Gymnasium's autoreset mode SAME_STEP):
    `info["final_obs"]` then has the last observation of the seat that has just acted, and `info["final_info"]` its
    number as `seat` and the `payoffs`. With `text`, `info["text"]` says in sentences what each seat to act sees, and
    `info["actions"]` has the action of each move that the sentences number (object arrays [n], see `hand.described`). To write
    them, the interpreted engine replays every move.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        preset: str | Rules,
        num_envs: int,
        *,
        threads: int,
        text: str | None,
        options: dict[str, OptionValue],
    ) -> None:
        self._language = language_of(text)
        self.env = dasan.vector.make(rules_of(preset, options), num_envs, threads=threads)
        self.rules = self.env.rules
        self.num_envs = num_envs = self.env.num_envs
        self.single_observation_space = _space(self.env.num_features, self.env.num_actions)
        self.single_action_space = spaces.Discrete(self.env.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._all = np.arange(num_envs)
        self._forget()

    def _forget(self) -> None:
        """Clear the recorded actions."""
        self._steps: list[Longs] = []  # the actions of every step since the start of the oldest hand
        self._began = np.zeros(self.num_envs, np.int64)  # the index in `_steps` of each hand's first action
        self._number = self.env.hand_numbers
        self._stories = [] if self._language is None else [self._story(i) for i in range(self.num_envs)]

    def _story(self, i: int) -> Story:
        """The current hand of environment `i`, before its first move."""
        return Story(self.env.ids, self.env.dealt(i))

    def _described(self, seats: Array, hands: Array) -> dict[str, Any]:
        """What `seats`, one for each hand, see in sentences, and the numbered actions; None except for `hands`."""
        if self._language is None:
            return {}
        out = {name: np.full(self.num_envs, None, object) for name in ("text", "actions")}
        for i in hands.tolist():
            for name, value in described(self._stories[i].state, int(seats[i]), self.env.ids, self._language).items():
                out[name][i] = value
        return out

    def _observed(self) -> Observed:
        seen: Any = self.env.obs
        return {"observation": seen, "action_mask": self.env.mask.view(np.int8)}

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """Start every environment over. seed: one for all or one for each, which determine these hands and the
        following ones; None continues the last seeds with new hands. `options` are ignored.
        """
        if seed is None:
            super().reset()
            self.env.reset(int(self.np_random.integers(1 << 62)))
        elif isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str | bytes):
            self.env.reset(seed)
            own = self.env.seed
            super().reset(seed=own[0] if isinstance(own, tuple) else own)
        else:
            one = whole(seed, "seed", 0)
            super().reset(seed=one)
            self.env.reset(one)
        self._forget()
        return self._observed(), {"to_act": self.env.to_act.copy(), **self._described(self.env.to_act, self._all)}

    def step(self, actions: Array) -> tuple[Observed, Array, Array, Array, dict[str, Any]]:
        """Carry out one action in each hand. ValueError, changing nothing: an action is not legal."""
        acted = self.env.to_act.copy()
        self.env.step(actions)
        done = self.env.done.copy()
        paid = earnings(self.rules, self.env.rewards, self.env.places, place_points).astype(np.float32)
        rewards = paid[self._all, acted].astype(np.float64)
        info = {"payoffs": paid, "to_act": self.env.to_act.copy()}
        self._steps.append(np.array(actions, np.int64))
        for story, action in zip(self._stories, self._steps[-1].tolist(), strict=False):
            story.add(action)
        if done.any():
            info |= self._ended(done, acted, paid)
        info |= self._described(self.env.to_act, self._all)
        return self._observed(), rewards, done, np.zeros(self.num_envs, np.bool_), info

    def _ended(self, done: Array, acted: Array, paid: Array) -> dict[str, Any]:
        """Gymnasium's info for the hands that have ended; starts recording the hands that follow."""
        last: Array = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(done).tolist():
            dealt = self.env.first_state(i, int(self._number[i]))
            hand = PastHand(self.env.ids, dealt, self._steps[self._began[i] :], i)
            last[i] = Final(hand, int(acted[i]), self.env.num_actions)
        self._number = self.env.hand_numbers
        self._began[done] = len(self._steps)
        oldest = int(self._began.min())
        del self._steps[:oldest]
        self._began -= oldest
        seats = np.where(done, acted, 0).astype(np.int8)
        about = {"payoffs": np.where(done[:, None], paid, 0), "_payoffs": done, "seat": seats, "_seat": done}
        texts = self._described(seats, np.flatnonzero(done))
        about |= texts | {f"_{name}": done for name in texts}
        self._stories = [self._story(i) if done[i] else story for i, story in enumerate(self._stories)]
        return {"final_obs": last, "_final_obs": done, "final_info": about, "_final_info": done}

    def close_extras(self, **kwargs: Any) -> None:
        """Do nothing: there are no resources to release."""


class BesideBots(Copied, SyncVectorEnv):
    """Gymnasium's `SyncVectorEnv` of environments with one seat against bots; copies are deep."""


def make(
    preset: str | Rules,
    *,
    opponents: str | Bot | Sequence[str | Bot] = "greedy",
    seat: int | None = None,
    illegal: Illegal = "end",
    render_mode: str | None = None,
    text: str | None = None,
    **options: OptionValue,
) -> DasanEnv:
    """One seat of `preset` with `options` against bots, see `DasanEnv`.

    opponents: a bot (a name for `dasan.bot`, or an object with `choose`) for all other seats, or one for each, from the next
    seat on. seat: the seat to play; None draws one for each hand. illegal: whether an illegal action should "end" the episode or
    "raise" a ValueError. render_mode: None, "ansi" or "human". text: the language of the sentences in `info`, one of those
    of `View.describe`; None: no sentences. ValueError: also as for `dasan.vector.make`.
    """
    env = DasanEnv(
        preset,
        opponents=opponents,
        seat=seat,
        illegal=illegal,
        render_mode=render_mode,
        text=text,
        options=dict(options),
    )
    name = preset if isinstance(preset, str) else preset.name
    env.spec = EnvSpec(
        id=_id(name),
        entry_point="dasan.envs.gymnasium:make",
        kwargs={"preset": preset, "opponents": opponents, "seat": seat, "illegal": illegal, "text": text, **options},
    )
    return env


def make_vec(
    preset: str | Rules,
    num_envs: int = 1,
    *,
    opponents: str | Bot | Sequence[str | Bot] | None = None,
    threads: int = 1,
    text: str | None = None,
    vectorization_mode: object = None,
    **options: Any,
) -> Any:
    """Many hands of `preset` at once: `DasanVectorEnv`, in which one policy plays every seat.

    With `opponents`, a `gymnasium.vector.SyncVectorEnv` of `make(preset, opponents=…)`, which also takes `seat` and
    `illegal`, and runs at the bots' speed. threads: as for `dasan.vector.make`; no effect with `opponents`. text: the language of
    the sentences in `info`, as for `make`; they take half a millisecond for each hand and step. vectorization_mode exists for
    `gymnasium.make_vec` and has no effect.
    """
    if opponents is None:
        return DasanVectorEnv(preset, num_envs, threads=threads, text=text, options=options)
    # Not a lambda, which could not be pickled.
    made: Any = partial(make, preset, opponents=opponents, text=text, **options)
    return BesideBots([made] * whole(num_envs, "num_envs", 1, MOST_ALONE))


def _id(name: str) -> str:
    return f"dasan/{name}-v0"


def _register() -> None:
    for name in PRESETS:
        if _id(name) not in gymnasium.registry:
            gymnasium.register(
                id=_id(name),
                entry_point="dasan.envs.gymnasium:make",
                vector_entry_point="dasan.envs.gymnasium:make_vec",
                kwargs={"preset": name},
            )


_register()
