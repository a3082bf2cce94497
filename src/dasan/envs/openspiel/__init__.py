"""OpenSpiel games: every preset and teaching variant as a Python game, such as `python_dasan_big_three`.

`register()` registers them with `pyspiel.load_game`. A game's parameters are the options of its preset, and `dealer`.

Chance deals the pack card by card in a fixed order. An outcome is the seat that gets the next card (or the number of
seats, for the kitty); its probability is proportional to the cards that this seat still lacks, so every deal has
exactly one path. If the dealer is -1, chance draws the dealer first. This is the default in games that draw the opener
of the auction, such as Dou Dizhu, because here the dealer opens it. In other games the default is seat 0.

Returns are payments in units, or in games without payments (Winner) (seats + 1) / 2 - place.

Compiled code plays the hands if a backend honours the rules (see `dasan.backends`), else the engine does. Strings,
tensors and `DasanState.hand` come from the engine, which replays the moves when one of them is read.
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
