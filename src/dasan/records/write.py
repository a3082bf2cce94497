"""Write climb/1: a hand or a session as its events, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from dasan.arguments import seat
from dasan.cards import Card, format_cards
from dasan.games import PRESETS
from dasan.play.dealing import Deal, Position
from dasan.play.events import Event
from dasan.play.fields import StateFields
from dasan.play.origin import Origin
from dasan.play.phases import Phase
from dasan.play.scoring import result
from dasan.play.view import View, look
from dasan.records.lines import FORMAT
from dasan.ruleset.rules import Rules

ALL = "all"


def write_state(state: StateFields, view: int | str | None) -> str:
    """One hand as text. view: "all", or the seat (None: a spectator) for a redacted copy. ValueError: `view` is
    neither.
    """
    return _text([_header(state.rules, state.origin, "hand", view), *_hand_lines(state, view)])


def write_session(rules: Rules, opening: Sequence[Event], hands: Sequence[StateFields], view: int | str | None) -> str:
    """A session as text: the draw for the first deal, and every hand so far."""
    lines = [_header(rules, hands[-1].origin, "session", view)]
    lines += [event.to_json() for event in opening]
    for state in hands:
        lines += _hand_lines(state, view)
    return _text(lines)


def _text(lines: Sequence[dict[str, Any]]) -> str:
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)


def _header(rules: Rules, origin: Origin, contents: str, view: int | str | None) -> dict[str, Any]:
    described: dict[str, Any] = {"name": rules.name, "options": rules.options, "digest": rules.digest}
    if not _is_preset(rules):
        described["value"] = rules.to_json()
    line: dict[str, Any] = {"format": FORMAT, "contents": contents, "rules": described, "engine": origin.engine}
    line["seats"] = list(origin.seats)
    if not (isinstance(view, str) and view == ALL):
        line["view"] = "spectator" if view is None else seat(view, rules.players, "who looks")
    return line


def _is_preset(rules: Rules) -> bool:
    """Whether name and options alone determine these rules for every reader of the record."""
    if rules.name not in PRESETS.own:
        return False
    try:
        return PRESETS[rules.name].rules(rules.options) == rules
    except ValueError:
        return False


def _hand_lines(state: StateFields, view: int | str | None) -> list[dict[str, Any]]:
    seen: StateFields | View = state if isinstance(view, str) else look(state, view)
    lines = [begun_json(seen.begun, state.first_seq - 1)]
    lines += [event.to_json() for event in seen.events]
    if state.phase is Phase.OVER:
        lines.append({"type": "result", **result(state).to_json()})
        open_to_reader = isinstance(seen, StateFields) or seen.hands is not None
        if state.origin.secret is not None and open_to_reader:
            lines.append({"type": "reveal", "secret": state.origin.secret.hex()})
    return lines


def begun_json(begun: Deal | Position, seq: int) -> dict[str, Any]:
    """The first line of a hand; hidden cards are "?", and fields with their defaults are left out."""
    line: dict[str, Any] = {"seq": seq, "type": "deal" if isinstance(begun, Deal) else "start"}
    for f in fields(begun):
        value = getattr(begun, f.name)
        if f.name == "hands":
            value = [format_cards(h) for h in value]
        elif f.name in ("kitty", "table"):
            value = format_cards(value)
        elif isinstance(value, Card):
            value = str(value)
        elif isinstance(value, tuple):
            value = list(value)
        if value not in (None, "", []):
            line[f.name] = value
    return line
