"""The functions of a game's endgames, chosen by the type of its tables when the search is compiled.

`endgame.cardsets`, `endgame.patterns` and `endgame.kickers` define the functions and say what each does. `endgame.kickers` lacks
those of outcomes, which only the search without sides needs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import overload

from dasan.kernels.endgame import cardsets, kickers, patterns

MODULES: dict[Any, Any] = {
    cardsets.CardsetEndgame: cardsets,
    patterns.PatternEndgame: patterns,
    kickers.KickerEndgame: kickers,
}


def _chosen(name: str) -> Any:
    """A function that calls its namesake in the module that belongs to the tables among the arguments."""

    def called(*args: Any) -> Any:
        """Called without a compiler: the arguments are values."""
        return getattr(next(MODULES[type(value)] for value in args if type(value) in MODULES), name)(*args)

    def resolved(*types: Any) -> Callable[..., Any]:
        """Called by the compiler: the arguments are types."""
        tables = (getattr(g, "instance_class", None) for g in types)
        function: Any = getattr(next(MODULES[g] for g in tables if g in MODULES), name)
        return function.py_func  # type: ignore[no-any-return]

    options: Any = {"_nrt": False, "forceinline": True}
    overload(called, jit_options=options, strict=False)(resolved)
    return called


list_moves, carry_out, skip, mover = _chosen("list_moves"), _chosen("carry_out"), _chosen("skip"), _chosen("mover")
key_of, past = _chosen("key_of"), _chosen("past")
verdict, rivals, turns, allied = _chosen("verdict"), _chosen("rivals"), _chosen("turns"), _chosen("allied")
outcome, payoff, ideal, cards_in = _chosen("outcome"), _chosen("payoff"), _chosen("ideal"), _chosen("cards_in")
