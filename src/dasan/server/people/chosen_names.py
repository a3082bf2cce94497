"""The name under which a player appears at a table."""

from __future__ import annotations

from dasan.reasons import reason
from dasan.server.people.names import check_reserved, clean_name, keys
from dasan.server.refusals import Refused
from dasan.server.store.people import People, Person


async def chosen_name(
    people: People, player: str, name: str | None, usual: str, *, program: bool = False
) -> tuple[str, Person | None]:
    """The name under which a player appears, and the player if they have an account: those appear by its name alone.

    name: one that the player has chosen; ``usual`` if none. Raises ``Refused`` for a name that nobody may choose, or that looks
    like somebody's account.
    """
    person = await people.find(player)
    if person is not None and person.account is not None:
        return person.name, person
    wanted = name or (person.name if person is not None else "")
    if not wanted:
        return usual, None
    cleaned = clean_name(wanted)
    check_reserved(cleaned, program=program)
    if await people.name_owner(keys(cleaned)) not in (None, player):
        raise Refused("illegal", reason("account.taken"))
    return cleaned, None
