"""The deal of the day: an event for everybody, alone against the same bots."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import dasan
from dasan.games import PRESETS, Preset
from dasan.play import fairness
from dasan.server.events.event import DuplicateEvent
from dasan.server.protocol.table import TableSettings
from dasan.server.tables.shared_rules import rules_of
from dasan.server.times import DAY

HOUSE = "greedy"
"""The bot in the other seats, which is deterministic."""
PREFERRED = {"scoring": "cards-multiplied"}
"""Options that reveal more of a hand than the presets' defaults; used in games that have them."""
QUIET = TableSettings(chat=False, spectators=False)


def deal_of(day: date, deals: int, preset: str = "") -> DuplicateEvent:
    """The event of a date, with fresh deals. preset: its game; empty: games rotate.

    >>> event = deal_of(date(2026, 11, 25), 8, "big-two")
    >>> event.id, event.deals, event.people, event.ends - event.starts == DAY
    ('day-2026-11-25', 8, 1, True)
    """
    starts = int(datetime.combine(day, time(), UTC).timestamp() * 1000)
    return DuplicateEvent(
        id=f"day-{day}",
        rules=_rules(PRESETS[preset] if preset else _game_of(day)),
        seed=fairness.new_secret(),
        deals=deals,
        people=1,
        bot=HOUSE,
        starts=starts,
        ends=starts + DAY,
        settings=QUIET,
        day=str(day),
    )


def _game_of(day: date) -> Preset:
    """The game of a date, in rotation of the families' first presets."""
    mains = [preset for preset in PRESETS.values() if preset.family in ("", preset.name)]
    return mains[day.toordinal() % len(mains)]


def _rules(preset: Preset) -> dasan.Rules:
    wanted = {
        option.name: PREFERRED[option.name]
        for option in preset.options
        if option.name in PREFERRED and PREFERRED[option.name] in (option.choices or ())
    }
    try:
        return rules_of(preset.name, wanted)
    except ValueError:
        return rules_of(preset.name, {})


def date_of(now: int) -> date:
    """The UTC date at a time in milliseconds.

    >>> date_of(0)
    datetime.date(1970, 1, 1)
    """
    return datetime.fromtimestamp(now / 1000, UTC).date()
