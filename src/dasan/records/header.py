"""Read and check the first line of a record: the kind of game, its rules, and the names of the seats."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from dasan.arguments import shown
from dasan.errors import BadRecord, DasanError
from dasan.games import PRESETS
from dasan.play.origin import MAX_TEXT, Origin, named
from dasan.records.lines import FORMAT, Line, same
from dasan.ruleset.rules import Rules

FIELDS = frozenset({"format", "contents", "rules", "engine", "seats", "view"})
_LONGEST_REASON = 300


def read_header(lines: Sequence[Line]) -> tuple[str, Rules, Origin]:
    """("hand" or "session", the rules, who played with which version). `BadRecord`: the header is wrong."""
    if not lines:
        raise BadRecord(f"this is not a {FORMAT} record")
    try:
        return _read(lines[0])
    except BadRecord as error:
        raise BadRecord(f"line {lines[0].number}: {error.message}", clause=error.clause) from error


def _read(header: Line) -> tuple[str, Rules, Origin]:
    if header.get("format") != FORMAT:
        raise BadRecord(f"this is not a {FORMAT} record")
    unknown = header.keys() - FIELDS
    if unknown:
        raise BadRecord(f"a header has no {min(unknown)[:40]!r}")
    contents, engine, seats = header.get("contents"), header.get("engine"), header.get("seats", [])
    if contents not in ("hand", "session"):
        raise BadRecord("the header's 'contents' is neither 'hand' nor 'session'")
    if not _is_text(engine):
        raise BadRecord("the header's 'engine' is not a text, the version that wrote the record")
    rules = _read_rules(header.get("rules"))
    try:
        seated = named(seats, rules.players)
    except (TypeError, ValueError) as error:
        raise BadRecord(f"the header's seats are not names: {error}") from error
    if "view" in header and header["view"] != "spectator" and not _is_seat(rules, header["view"]):
        raise BadRecord("the header's 'view' is neither a seat nor 'spectator'")
    return str(contents), rules, Origin(str(engine), seated)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MAX_TEXT


def _is_seat(rules: Rules, seat: object) -> bool:
    return type(seat) is int and 0 <= seat < rules.players


def _read_rules(described: object) -> Rules:
    """The rules that a header describes. `BadRecord`: digest, name or options do not agree with them."""
    if not isinstance(described, dict) or not isinstance(described.get("options"), dict):
        raise BadRecord("the header's 'rules' is not an object with 'name', 'options' and 'digest'")
    unknown = described.keys() - {"name", "options", "digest", "value"}
    if unknown:
        raise BadRecord(f"rules in a header have no {min(unknown)[:40]!r}")
    try:
        rules = _rules(json.dumps(described, sort_keys=True))
    except (ValueError, TypeError, DasanError) as error:
        message = error.message if isinstance(error, DasanError) else str(error)
        raise BadRecord(f"the rules cannot be read: {message[:_LONGEST_REASON]}") from error
    if rules.digest != described.get("digest"):
        raise BadRecord("the rules do not match the digest in the header")
    if "value" in described and not (rules.name == described.get("name") and same(rules.options, described["options"])):
        raise BadRecord("the header's name or options do not match its rules")
    return rules


@lru_cache(maxsize=32)
def _rules(described: str) -> Rules:
    """The rules of a header, from its JSON; cached, because many records have the same."""
    header: dict[str, Any] = json.loads(described)
    if "value" in header:
        return Rules.from_json(header["value"])
    name = header.get("name")
    preset = PRESETS.get(name) if isinstance(name, str) else None
    if preset is None:
        raise ValueError(f"there is no preset {shown(name)}")
    return preset.rules(header["options"])
