"""OpenSpiel games: every preset and teaching variant as a Python game: `python_dasan_big_three`, `python_dasan_big_two` …

`register()` makes them known to `pyspiel.load_game`. A game's parameters are the options of its preset, and `dealer`.

Chance deals the pack card by card, in a fixed order: each outcome is the seat that gets the next card (or the number of seats,
for the kitty), with a probability in proportion to the cards it still lacks. So every deal has exactly one path. If the
dealer is -1, chance draws the dealer first: the default where a player is drawn to open the auction, as in Dou Dizhu, because
the dealer opens it here. Elsewhere the default is seat 0.

Returns are payments in units, or where nothing is paid (Winner) (seats + 1) / 2 - place.

Hands are played by compiled code where it knows the rules (see `dasan.backends`), else by the engine. Strings, tensors and
`DasanState.hand` ask the engine, which replays the moves when one of them is read.
"""

from __future__ import annotations

try:
    import pyspiel  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("OpenSpiel games need their extra: pip install 'dasan[envs]'") from error

from dasan.envs.openspiel.game import DasanGame
from dasan.envs.openspiel.observer import DasanObserver
from dasan.envs.openspiel.policy import BotPolicy
from dasan.envs.openspiel.registry import name_of, register
from dasan.envs.openspiel.state import DasanState
from dasan.envs.openspiel.tree import DRAWN

__all__ = ["DRAWN", "BotPolicy", "DasanGame", "DasanObserver", "DasanState", "name_of", "register"]
