"""A player's displayed name at a table."""

from __future__ import annotations

from contextlib import suppress

from dasan.reasons import reason
from dasan.server.people.names import clean_name, keys, numbered
from dasan.server.people.reserved_names import check_reserved
from dasan.server.refusals import Refused
from dasan.server.store.people import People, Person


async def chosen_name(
    people: People, player: str, name: str | None, usual: str, *, program: bool = False, anew: bool = False
) -> tuple[str, Person | None]:
    """(displayed name, the player if they have an account). Accounts always appear under the account's name.

    name: the player's choice; None: ``usual``. A guest whose stored name now belongs to an account or is no longer
    allowed gets a similar free one. ``Refused``: a new name is not allowed or looks like somebody's account; with
    ``anew`` also for a stored name.
    """
    person = await people.find(player)
    if person is not None and person.account is not None:
        return person.name, person
    stored = person.name if person is not None else ""
    wanted = name or stored
    if not wanted:
        return usual, None
    try:
        return await checked_name(people, player, wanted, program=program), None
    except Refused:
        if anew or not stored or wanted.split() != stored.split():
            raise
    for other in numbered(stored):
        with suppress(Refused):
            return await checked_name(people, player, other, program=program), None
    return usual, None


async def checked_name(people: People, player: str, name: str, *, program: bool = False) -> str:
    """The displayed form of a name. ``Refused``: it is not allowed, or looks like the name of another player's account."""
    cleaned = allowed_name(people, name, program=program)
    if await people.name_owner(keys(cleaned)) not in (None, player):
        raise Refused("illegal", reason("account.taken"))
    return cleaned


def allowed_name(people: People, name: str, *, program: bool = False) -> str:
    """The displayed form of a name of a person or a group. ``Refused``: it is misleading, reserved or has a blocked word."""
    cleaned = clean_name(name)
    check_reserved(cleaned, program=program)
    if people.restrictions.refuses(cleaned):
        raise Refused("illegal", reason("name.reserved"))
    return cleaned
