"""The interface of a backend's code, called by batched environments, positions and single hands of every game."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from dasan.arrays import Bytes, Ints, Longs, Words
from dasan.backends import CARDSETS, ENGINE, KICKERS, PATTERNS, RANKS, REGIONAL, Backend
from dasan.play.dealing import Deal
from dasan.play.state import State
from dasan.ruleset.rules import Rules

if TYPE_CHECKING:
    from dasan.kernels.env.buffers import Buffers
    from dasan.kernels.env.one_hand import DealtHand, OneHand
    from dasan.kernels.env.playouts import PlayoutPlan


class Environments(Protocol):
    """A module of batched environments. `states` and `tables` are its own: the memory of the hands, and what follows from the
    rules. SCRATCH: the words that a thread needs to work.
    """

    SCRATCH: int

    def tables(self, rules: Rules, session: bool, /) -> Any: ...
    def make_state(self, rules: Rules, num_envs: int, /) -> tuple[Any, Words, Words | Longs]:
        """The states; the words in them that seed the environments; the number of each one's hand, from 0."""

    def samples_bits(self, tables: Any, /) -> bool:
        """Whether `sample` needs only the packed mask; else the list of legal actions is always written."""

    def most_legal(self, rules: Rules, /) -> int: ...
    def dealt(self, rules: Rules, states: Any, i: int, session: bool, /) -> Deal:
        """The deal of the hand in environment `i`."""

    def serve(self, parcel: Any, me: int, order: int, /) -> int:
        """Carry out a command on the environments of thread `me`, see `threads`."""

    def show(self, states: Any, buffers: Buffers, tables: Any, scratch: Words, /) -> None:
        """Write seats to act, legal actions and observations of unfinished hands."""


class Playouts(Protocol):
    """A module of positions in the same memory, and of playouts from them."""

    def put(self, state: State, states: Any, i: int, /) -> None: ...
    def fill(self, states: Any, first: int, one: Words, two: Words, tables: Any, /) -> None: ...
    def publish(self, hand: OneHand, /) -> None: ...
    def choose(self, hand: OneHand, thrifty: Any, /) -> int: ...
    def step(self, hand: OneHand, action: int, /) -> bool: ...
    def play_out(
        self,
        rows: Any,
        plan: PlayoutPlan,
        hand: OneHand,
        thrifty: Any,
        payments: Ints,
        places: Bytes,
        /,
    ) -> int: ...
    def choose_all(self, hands: OneHand, thrifty: Any, actions: Ints, /) -> None: ...


class HandKernels(Protocol):
    """Kernels over one hand that answer with its seat to act and legal actions, see `one_hand`."""

    def move_hand(self, parcel: OneHand, action: int, /) -> Any: ...
    def deal_hand(self, parcel: DealtHand, /) -> Any: ...


class WholeHands(Protocol):
    """A module of whole hands from the deal to the payments."""

    def hand_tables(self, rules: Rules, /) -> tuple[Any, ...]:
        """The tables that `random_hands` reads between the seed and the results."""

    @property
    def random_hands(self) -> Callable[..., None]:
        """Deal and play hands of a seed from a number on, with uniformly random moves: (number, seed, *tables, results)."""


class Code(NamedTuple):
    """The modules of a backend. hands: None where they are not compiled."""

    environments: Environments
    playouts: Playouts
    hands: HandKernels | None
    whole: WholeHands


def code_of(backend: Backend) -> Code:
    """The code of a backend that plays environments and positions. ValueError: it plays neither."""
    if backend is RANKS:
        from dasan.kernels.ranks import env as rank_env
        from dasan.kernels.ranks import hands as rank_hands
        from dasan.kernels.ranks import playout as rank_playout

        return Code(rank_env, rank_playout, rank_playout, rank_hands)
    if backend is CARDSETS:
        from dasan.kernels.cardsets import env as cardset_env
        from dasan.kernels.cardsets import hands as cardset_hands
        from dasan.kernels.cardsets import playout as cardset_playout

        return Code(cardset_env, cardset_playout, cardset_playout, cardset_hands)
    if backend is REGIONAL:
        from dasan.kernels.regional import env as regional_env
        from dasan.kernels.regional import hands as regional_hands
        from dasan.kernels.regional import playout as regional_playout

        return Code(regional_env, regional_playout, regional_playout, regional_hands)
    if backend is PATTERNS:
        from dasan.kernels.patterns import env as pattern_env
        from dasan.kernels.patterns import hands as pattern_hands
        from dasan.kernels.patterns import playout as pattern_playout

        return Code(pattern_env, pattern_playout, pattern_playout, pattern_hands)
    if backend is KICKERS:
        from dasan.kernels.kickers import env as kicker_env
        from dasan.kernels.kickers import hands as kicker_hands
        from dasan.kernels.kickers import playout as kicker_playout

        return Code(kicker_env, kicker_playout, kicker_playout, kicker_hands)
    if backend is ENGINE:
        from dasan.interpreted import env as engine_env
        from dasan.interpreted import hands as engine_hands
        from dasan.interpreted import playout as engine_playout

        return Code(engine_env, engine_playout, None, engine_hands)
    raise ValueError(f"{backend.name} plays no environments")
