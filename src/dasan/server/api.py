"""REST: the games, their rules, and tables to open and to look at."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from starlette.responses import PlainTextResponse

import dasan
from dasan.games import PRESETS, Option
from dasan.ruleset import clauses
from dasan.server.identity import Identities, new_player
from dasan.server.protocol import (
    PROTOCOL,
    ClauseInfo,
    CreateTable,
    Health,
    OptionInfo,
    OptionValue,
    PresetInfo,
    RulesInfo,
    TableCreated,
    TableDetail,
    TableSummary,
)
from dasan.server.refusals import Refused
from dasan.server.tables import Tables, title_of

router = APIRouter(prefix="/api")


def _tables(request: Request) -> Tables:
    tables: Tables = request.app.state.tables
    return tables


def _player(request: Request) -> str | None:
    identities: Identities = request.app.state.identities
    return identities.player(request)


TablesHere = Annotated[Tables, Depends(_tables)]
Player = Annotated[str | None, Depends(_player)]


@router.get("/health")
async def health() -> Health:
    """Whether the server answers."""
    return Health(status="ok", version=dasan.__version__, protocol=PROTOCOL)


@router.get("/presets")
async def presets() -> list[PresetInfo]:
    """The games that can be played."""
    return [
        PresetInfo(name=preset.name, title=preset.title, options=[_option_info(option) for option in preset.options])
        for preset in PRESETS.values()
    ]


@router.get("/rules/{preset}")
async def rules(preset: str, request: Request) -> RulesInfo:
    """The rules in force for a preset; the query gives options, as in ``?triples=true&guard=off``."""
    if preset not in PRESETS:
        raise Refused("not-found", f"there is no game {preset!r}")
    known = {option.name: option for option in PRESETS[preset].options}
    given = {name: _read_value(known.get(name), value) for name, value in request.query_params.items()}
    try:
        made = dasan.rules(preset, **given)
    except ValueError as error:
        raise Refused("malformed", str(error)) from None
    return RulesInfo(
        preset=preset,
        title=PRESETS[preset].title,
        options=made.options,
        clauses=[ClauseInfo(id=clause.id, text=clause.text) for clause in clauses.in_force(made)],
    )


@router.post("/tables", status_code=201)
async def create_table(
    wanted: CreateTable, request: Request, response: Response, tables: TablesHere, player: Player
) -> TableCreated:
    """Open a table and sit down at it; gives the browser its cookie if it has none."""
    address = request.client.host if request.client else ""
    limits = request.app.state.new_tables
    if not limits.take(("address", address)) or (player is not None and not limits.take(("player", player))):
        raise Refused("too-fast", "too many new tables; wait a little")
    owner = player or new_player()
    table_id = await tables.create(owner, wanted.preset, wanted.options, wanted.bots, public=wanted.public)
    if player is None:
        request.app.state.identities.remember(response, owner, secure=request.url.scheme == "https")
    return TableCreated(id=table_id)


@router.get("/tables")
async def my_tables(tables: TablesHere, player: Player) -> list[TableSummary]:
    """The tables this browser plays at, newest first."""
    if player is None:
        return []
    return [
        TableSummary.model_validate(
            {
                "id": listed.id,
                "preset": listed.preset,
                "title": title_of(listed.preset),
                "players": len(listed.summary.balances),
                "created": listed.created,
                "number": listed.summary.number,
                "phase": listed.summary.phase,
                "your_turn": listed.summary.to_act == listed.seat,
                "balances": listed.summary.balances,
            }
        )
        for listed in await tables.mine(player)
    ]


@router.get("/tables/{table_id}", response_model_exclude_unset=True)
async def table(table_id: str, tables: TablesHere, player: Player) -> TableDetail:
    """A table as this player may see it."""
    room = await tables.look(table_id)
    return room.detail(room.head.seat_of(player))


@router.get("/tables/{table_id}/record", response_class=PlainTextResponse)
async def record(table_id: str, tables: TablesHere, player: Player) -> PlainTextResponse:
    """The session so far as climb/1, with what this player may know."""
    room = await tables.look(table_id)
    text = room.session.record(view=room.head.seat_of(player))
    return PlainTextResponse(text, media_type="application/x-ndjson")


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
    )


def _read_value(option: Option | None, text: str) -> OptionValue:
    """The option's value that ``text`` writes; the text itself where there is none, for the rules to refuse."""
    if option is None:
        return text
    for choice in option.choices or ():
        if str(choice).lower() == text.lower():
            return choice
    return int(text) if text.isdecimal() and len(text) < 10 else text
