"""Players: names, accounts, sign-ins and personal data."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from secrets import token_hex
from typing import Any

from fastapi import Request, Response

from dasan.errors import DasanError
from dasan.reasons import reason
from dasan.server.api.dependencies import IdentitiesHere, LiveHere, Player, StoreHere, TablesHere, network_of
from dasan.server.api.strict import router as strict_router
from dasan.server.connections.networks import address_of
from dasan.server.connections.rate_limits import limit
from dasan.server.people.chosen_names import checked_name, chosen_name
from dasan.server.people.guesses import Guesses
from dasan.server.people.identity import COOKIE, new_player
from dasan.server.people.reserved_names import like_a_guests
from dasan.server.protocol.commands import LeaveCommand
from dasan.server.protocol.people import (
    LONGEST_FOLDED,
    ClaimLink,
    Credentials,
    Deletion,
    Me,
    PasswordChange,
    PersonalLink,
    Rename,
    SessionListed,
    folded,
)
from dasan.server.refusals import Refused
from dasan.server.store import Store
from dasan.server.store.people import AccountChanged, Person, Taken
from dasan.server.tables.directory import Tables
from dasan.server.times import moment, now

router = strict_router("/api")

WRONG = reason("account.wrong")


@router.get("/me")
async def me(request: Request, response: Response, store: StoreHere, ids: IdentitiesHere, player: Player) -> Me:
    """The player of this browser."""
    person = None if player is None else await store.people.find(player)
    if person is not None and person.account is not None:
        ids.recognise(request, response, person)
    return described(player, person)


@router.post("/me")
async def greet(request: Request, response: Response, store: StoreHere, ids: IdentitiesHere, player: Player) -> Me:
    """Make this browser a guest, with a cookie, unless it already is a player.

    A page calls this before it takes a seat: two concurrent requests without a cookie would become two players.
    """
    limit(request, "joins", player)
    one = player or new_player()
    await ids.remember(request, response, one)
    return described(one, await store.people.find(one))


@router.post("/me/name")
async def rename(
    wanted: Rename, request: Request, response: Response, store: StoreHere, ids: IdentitiesHere, player: Player
) -> Me:
    """Change the name that tables show for this player. The name of an account stays."""
    limit(request, "joins", player)
    one = player or new_player()
    name, _ = await chosen_name(store.people, one, wanted.name, "", anew=True)
    await store.people.rename(one, name, now())
    await ids.remember(request, response, one)
    return described(one, await store.people.find(one))


@router.post("/account", status_code=201)
async def register(
    wanted: Credentials, request: Request, response: Response, store: StoreHere, ids: IdentitiesHere, player: Player
) -> Me:
    """Open an account; it takes over the games played as a guest in this browser."""
    limit(request, "sign_ins", player)
    one = player or new_player()
    if await store.people.account(one) is not None:
        raise Refused("illegal", reason("account.already"))
    await check_free(store, wanted.name, one)
    try:
        await store.people.register(one, wanted.name, await ids.hash(wanted.password, network_of(request)), now())
        person = await account_of(store, one)
        await ids.sign_in(request, response, person)
    except Taken:
        raise Refused("illegal", reason("account.taken")) from None
    except AccountChanged:
        raise Refused("forbidden", reason("account.unknown")) from None
    return described(one, person)


@router.post("/sign-in")
async def sign_in(
    wanted: Credentials, request: Request, response: Response, store: StoreHere, ids: IdentitiesHere
) -> Me:
    """Sign this browser in. A refusal does not say whether the name or the password is wrong."""
    person = await store.people.by_account(wanted.name)
    browser = None if person is None else ids.known_browser(request, person)
    guesses: Guesses = request.app.state.guesses
    if not guesses.allow(folded(wanted.name), address_of(request), browser):
        raise Refused("too-fast", reason("fast"))
    # Known browsers have a separate queue, so that strangers in their network do not delay them.
    waiting = network_of(request) + (" known" if browser is not None else "")
    right = await ids.check(None if person is None else person.password, wanted.password, waiting)
    if person is None or not right or person.banned:
        raise Refused("forbidden", WRONG)
    try:
        await ids.sign_in(request, response, person)
    except AccountChanged:
        raise Refused("forbidden", WRONG) from None
    return described(person.id, person)


@router.post("/sign-out")
async def sign_out(
    request: Request,
    response: Response,
    store: StoreHere,
    ids: IdentitiesHere,
    live: LiveHere,
    player: Player,
    everywhere: bool = False,
) -> Me:
    """Sign out this browser, or all browsers of the account."""
    if player is not None:
        await store.people.sign_out(player, None if everywhere else ids.session(request), now())
        ids.forget()
        live.recheck(player)
    response.delete_cookie(COOKIE, path="/")
    return described(None, None)


@router.get("/sessions")
async def sessions(request: Request, store: StoreHere, ids: IdentitiesHere, player: Player) -> list[SessionListed]:
    """List the browsers signed in to this account."""
    current = ids.session(request)
    rows = [] if player is None else await store.people.sign_ins(player)
    return [
        SessionListed(
            id=row.id, created=moment(row.created), seen=moment(row.seen), agent=row.agent, current=row.id == current
        )
        for row in rows
    ]


@router.post("/sessions/{session}/sign-out")
async def end_session(
    session: str, request: Request, store: StoreHere, ids: IdentitiesHere, live: LiveHere, player: Player
) -> list[SessionListed]:
    """Sign out one of the account's browsers and list the others."""
    person = await limited_account(request, store, player)
    await store.people.sign_out(person.id, session, now())
    ids.forget()
    live.recheck(person.id)
    return await sessions(request, store, ids, player)


@router.post("/account/password")
async def change_password(
    wanted: PasswordChange,
    request: Request,
    response: Response,
    store: StoreHere,
    ids: IdentitiesHere,
    live: LiveHere,
    player: Player,
) -> Me:
    """Change the password and sign out all other browsers."""
    person = await limited_account(request, store, player, "sign_ins")
    if person.password is not None and not await ids.check(person.password, wanted.old or "", network_of(request)):
        raise Refused("forbidden", reason("account.password"))
    hashed = await ids.hash(wanted.new, network_of(request))
    try:
        await store.people.set_password(person.id, hashed, now(), person, ids.session(request))
        changed = replace(person, password=hashed)
        await ids.sign_in(request, response, changed)
    except AccountChanged:
        raise Refused("forbidden", reason("account.password")) from None
    live.recheck(person.id)
    return described(person.id, changed)


@router.post("/account/delete")
async def delete(
    wanted: Deletion,
    request: Request,
    response: Response,
    store: StoreHere,
    tables: TablesHere,
    ids: IdentitiesHere,
    live: LiveHere,
    player: Player,
) -> Me:
    """Delete this player; finished hands stay, without the name."""
    limit(request, "sign_ins", player)
    player = known(player)
    account = await store.people.account(player)
    password = None if account is None else account.password
    if password is not None and not await ids.check(password, wanted.password or "", network_of(request)):
        raise Refused("forbidden", reason("account.password"))
    session = ids.session(request) if account is not None else None
    try:
        await store.people.check_unchanged(account, session)
        await _leave_tables(tables, store, player)
        touched = await store.people.delete(player, now(), account, session)
    except AccountChanged:
        raise Refused("forbidden", reason("account.password")) from None
    for table_id in touched:
        tables.reopen(table_id)
    ids.forget()
    live.recheck(player)
    response.delete_cookie(COOKIE, path="/")
    return described(None, None)


@router.get("/account/export")
async def export(request: Request, store: StoreHere, player: Player) -> dict[str, Any]:
    """All data stored about this player."""
    limit(request, "records", player)
    return await store.people.export(known(player))


@router.post("/me/link", status_code=201)
async def make_link(request: Request, ids: IdentitiesHere, player: Player) -> PersonalLink:
    """Make a link that signs another device in as this player. It works once, within ten minutes."""
    limit(request, "sign_ins", player)
    token = await ids.make_link(request, known(player))
    return PersonalLink(token=token, path=f"/link/{token}")


@router.post("/me/claim")
async def claim(wanted: ClaimLink, request: Request, response: Response, ids: IdentitiesHere) -> Me:
    """Become the player who made a personal link."""
    limit(request, "sign_ins")
    return described(*await ids.take_link(request, response, wanted.token))


async def _leave_tables(tables: Tables, store: Store, player: str) -> None:
    """Free the player's seats at tables in progress; tables that refuse are skipped."""
    for table_id in await store.listings.under_way(player):
        with suppress(Refused, DasanError):
            await tables.command(table_id, player, LeaveCommand(type="leave", id=f"delete-{token_hex(8)}"))


async def check_free(store: Store, name: str, player: str) -> None:
    """``Refused``: a new account of the player cannot have this name."""
    if len(folded(name)) > LONGEST_FOLDED:
        raise Refused("malformed", reason("account.long"))
    await checked_name(store.people, player, name)
    if like_a_guests(name):
        raise Refused("illegal", reason("name.reserved"))
    if await store.people.by_account(name) is not None:
        raise Refused("illegal", reason("account.taken"))


def known(player: str | None) -> str:
    """The player of the browser. ``Refused``: it has none."""
    if player is None:
        raise Refused("forbidden", reason("account.unknown"))
    return player


async def account_of(store: Store, player: str | None) -> Person:
    """The account of a player. ``Refused``: the player is a guest."""
    person = await store.people.account(player)
    if person is None:
        raise Refused("forbidden", reason("account.none"))
    return person


async def account_named(store: Store, name: str) -> Person:
    """The player whose account has this name. ``Refused``: there is none."""
    person = await store.people.by_account(name)
    if person is None:
        raise Refused("not-found", reason("no-account"))
    return person


async def limited_account(request: Request, store: Store, player: str | None, what: str = "joins") -> Person:
    """As `account_of`, within the limit ``what``."""
    limit(request, what, player)
    return await account_of(store, player)


def described(player: str | None, person: Person | None) -> Me:
    """The player of a browser, as the browser may see them."""
    account = None if person is None or person.account is None else person.name
    return Me(
        id=player,
        name=None if person is None else person.name,
        account=account,
        password=person is not None and person.password is not None,
        moderator=person is not None and person.moderator,
    )
