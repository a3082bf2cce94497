"""The games that can be played, their rules, and the bots that play them."""

from __future__ import annotations

import asyncio
import threading

from fastapi import Request

import dasan
from dasan import bots as known_bots
from dasan.games import PRESETS, Option, Preset
from dasan.games.option import Need
from dasan.reasons import reason
from dasan.ruleset import clauses
from dasan.server.api.strict import router as strict_router
from dasan.server.connections.rate_limits import limit
from dasan.server.protocol.base import OptionValue
from dasan.server.protocol.rest import BotInfo, ClauseInfo, NeedInfo, OptionInfo, PresetInfo, RulesInfo
from dasan.server.refusals import Refused
from dasan.server.tables.chairs import called
from dasan.server.tables.facts import facts

router = strict_router("/api")


_LISTING = threading.Lock()
_listed: dict[tuple[str, ...], list[PresetInfo]] = {}


def listed() -> list[PresetInfo]:
    """The presets, cached because some facts need a game's whole catalogue."""
    with _LISTING:
        names = tuple(PRESETS)
        if names not in _listed:
            _listed.clear()
            _listed[names] = [_preset_info(preset) for preset in PRESETS.values()]
        return _listed[names]


@router.get("/presets", response_model_exclude_defaults=True)
async def presets() -> list[PresetInfo]:
    """The games that can be played."""
    return await asyncio.to_thread(listed)


@router.get("/rules/{preset}")
async def rules(preset: str, request: Request) -> RulesInfo:
    """The rules in force for a preset; the query sets options, as in ``?triples=true&guard=off``.

    ``lang``: the language of the clauses, one of ``clauses.LANGUAGES``.
    """
    limit(request, "pages")
    if preset not in PRESETS:
        raise Refused("not-found", reason("no-game", name=preset))
    known = {option.name: option for option in PRESETS[preset].options}
    given = {name: _read_value(known.get(name), value) for name, value in request.query_params.items()}
    language = str(given.pop("lang", "en"))
    if language not in clauses.LANGUAGES:
        raise Refused("malformed", f"the rules exist in {', '.join(clauses.LANGUAGES)}, not in {language!r}")
    try:
        made = PRESETS[preset].rules(given)
    except ValueError as error:
        raise Refused("malformed", str(error)) from None
    return RulesInfo(
        preset=preset,
        title=PRESETS[preset].title,
        options=made.options,
        facts=await asyncio.to_thread(facts, made),
        clauses=[ClauseInfo(id=clause.id, text=clause.text) for clause in clauses.in_force(made, language)],
    )


@router.get("/bots")
async def bots() -> list[BotInfo]:
    """The bots that can be seated."""
    return [_bot_info(name) for name in known_bots.BOTS]


def _bot_info(name: str) -> BotInfo:
    level = next((one.level for one in known_bots.CHARACTERS if one.bot == name), None)
    return BotInfo(name=name, title=called(name), character=known_bots.ABOUT.get(name, ""), level=level)


def _preset_info(preset: Preset) -> PresetInfo:
    return PresetInfo(
        name=preset.name,
        title=preset.title,
        family=preset.family or preset.name,
        variant=preset.family not in ("", preset.name) and not preset.sample,
        sample=preset.sample.split(),
        summary=preset.summary,
        facts=facts(dasan.rules(preset.name)),
        options=[_option_info(option) for option in preset.options],
    )


def _option_info(option: Option) -> OptionInfo:
    numeric = option.choices is None
    return OptionInfo(
        name=option.name,
        default=option.default,
        choices=None if option.choices is None else list(option.choices),
        minimum=option.minimum if numeric else None,
        maximum=option.maximum if numeric else None,
        clause=option.clause,
        help=option.help,
        needs=[_need_info(need) for need in option.needs],
    )


def _need_info(need: Need) -> NeedInfo:
    return NeedInfo(values=list(need.values), other=need.other, among=list(need.among), otherwise=need.otherwise)


def _read_value(option: Option | None, text: str) -> OptionValue:
    """``text`` as a value of the option; other text is returned unchanged, and the rules refuse it."""
    if option is None:
        return text
    for choice in option.choices or ():
        if str(choice).lower() == text.lower():
            return choice
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else text
