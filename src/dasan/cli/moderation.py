"""`dasan admin` for moderation: reports, mutes, bans of players and networks, blocked words, moderators, the audit
log.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from dasan.arguments import quantity
from dasan.cli.files import AsJson, read_text
from dasan.cli.group import CannotRun
from dasan.cli.output import print_json, say
from dasan.cli.stores import MOST, Most, Who, on_store, player_id, time_text, times

if TYPE_CHECKING:
    from dasan.server.protocol.moderation import Action
    from dasan.server.store import Store

Net: TypeAlias = Annotated[str, typer.Argument(help="An address, or a range of them such as 192.0.2.0/24.")]


@on_store()
async def ban(store: Store, who: Who) -> None:
    """Ban a player, with immediate effect on every process."""
    await _on_player(store, who, "ban", "is banned")


@on_store()
async def unban(store: Store, who: Who) -> None:
    """Lift a player's ban."""
    await _on_player(store, who, "unban", "is no longer banned")


@on_store()
async def mute(
    store: Store, who: Who, hours: Annotated[int, typer.Option(min=1, max=8784, help="The duration.")] = 24
) -> None:
    """Mute a player: no chat, reactions, notes, event titles or shuffle strings."""
    await _on_player(store, who, "mute", f"is muted for {quantity(hours, 'hour')}", hours=hours)


@on_store()
async def unmute(store: Store, who: Who) -> None:
    """Lift a player's mute."""
    await _on_player(store, who, "unmute", "is no longer muted")


@on_store()
async def moderator(
    store: Store,
    who: Who,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the account from the moderators.")] = False,
) -> None:
    """Make an account a moderator, with access to the page [bold]/moderation[/bold]."""
    from dasan.server.times import now

    player = await player_id(store, who)
    await store.moderation.appoint(player, now(), moderator=not remove)
    say(f"{who} is {'no longer a moderator' if remove else 'a moderator'}")


@on_store()
async def reports(
    store: Store,
    dismiss: Annotated[int | None, typer.Option(min=0, max=MOST, help="Delete the report with this number.")] = None,
    most: Most = 50,
    as_json: AsJson = False,
) -> None:
    """List players' reports of chat, the newest first, or delete a report."""
    if dismiss is not None:
        from dasan.server.protocol.moderation import Dismiss

        await _carry_out(store, Dismiss(type="dismiss", report=dismiss))
        say(f"report {dismiss} is deleted")
        return
    listed = await store.overviews.reports(most)
    rows = [{**row, **times(row, "at")} for row in listed.rows]
    if as_json:
        print_json({"reports": rows, "total": listed.total})
        return
    people = await store.moderation.people({player for row in rows for player in (row["by"], row["against"]) if player})
    called = {None: "nobody"} | {player: f"{one['name']} ({player})".lstrip() for player, one in people.items()}
    for row in rows:
        by, against = called[row["by"]], called[row["against"]]
        say(f"{row['id']}  {row['at']}  table {row['table_id']}  by {by}  against {against}")
        say(f"    said: {row['text']}")
        say(f"    reason: {row['reason']}")
    say(f"{len(rows)} of {listed.total} reports")


@on_store()
async def ban_network(
    store: Store,
    network: Net,
    days: Annotated[int, typer.Option(min=1, max=3660, help="The duration.")] = 7,
) -> None:
    """Ban an address or a range of addresses. Several players may share one."""
    from dasan.server.people.restrictions import network_named
    from dasan.server.protocol.moderation import BanNetwork

    await _carry_out(store, BanNetwork(type="ban-network", network=network, days=days))
    say(f"{network_named(network)} is banned for {quantity(days, 'day')}")


@on_store()
async def unban_network(store: Store, network: Net) -> None:
    """Lift the ban of an address or a range of addresses."""
    from dasan.server.protocol.moderation import UnbanNetwork

    await _carry_out(store, UnbanNetwork(type="unban-network", network=network))
    say(f"{network} is no longer banned")


@on_store()
async def networks(store: Store, as_json: AsJson = False) -> None:
    """List the banned addresses."""
    from dasan.server.times import now

    rows = [{"network": name, "until": time_text(until)} for name, until in await store.moderation.networks(now())]
    if as_json:
        print_json({"networks": rows})
        return
    for row in rows:
        say(f"{row['network']}  until {row['until']}")
    say(f"{len(rows)} networks")


@on_store()
async def words(
    store: Store,
    language: Annotated[
        str | None, typer.Argument(help="A language, such as [bold]en[/bold] or [bold]zh[/bold].")
    ] = None,
    add: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Block the words of this file, one per line.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Unblock all words of the language.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the words blocked in chat and names, or change those of a language."""
    from dasan.server.protocol.moderation import MOST_WORDS, AddWords, RemoveWords

    if language is None and (add is not None or remove):
        raise CannotRun("name the language of the words")
    text = "" if add is None else read_text(str(add), "a list of words")
    if language is not None and remove:
        await _carry_out(store, RemoveWords(type="remove-words", language=language))
    if language is not None:
        lines = [line.strip() for line in text.splitlines()]
        wanted = [line for line in lines if line and not line.startswith("#")]
        for at in range(0, len(wanted), MOST_WORDS):
            part = tuple(wanted[at : at + MOST_WORDS])
            await _carry_out(store, AddWords(type="add-words", language=language, words=part))
    lists = await store.moderation.words()
    if as_json:
        print_json({"words": lists})
        return
    for name, listed in lists.items():
        if language in (None, name):
            say(f"{name}: {', '.join(listed)}")
    say(f"{sum(map(len, lists.values()))} words in {len(lists)} languages")


@on_store()
async def audit(
    store: Store,
    who: Annotated[str | None, typer.Argument(help="Only actions on this player, network or language.")] = None,
    most: Most = 50,
    as_json: AsJson = False,
) -> None:
    """List the actions of moderators and the host, the newest first."""
    rows = [{**row, **times(row, "at")} for row in await store.moderation.audit(most, who)]
    if as_json:
        print_json({"audit": rows})
        return
    for row in rows:
        detail = "".join(f", {name} {value}" for name, value in row["detail"].items())
        say(f"{row['at']}  {row['by']}  {row['action']}  {row['subject']}{detail}")


COMMANDS = (ban, unban, mute, unmute, moderator, reports, ban_network, unban_network, networks, words, audit)


async def _on_player(store: Store, who: str, kind: str, done: str, **values: Any) -> None:
    """Carry out an action on a player, and print the result."""
    from dasan.server.protocol.moderation import Moderate

    player = await player_id(store, who)
    await _carry_out(store, Moderate(action={"type": kind, "player": player, **values}).action)  # type: ignore[arg-type]
    say(f"{player} {done}")


async def _carry_out(store: Store, action: Action) -> None:
    from dasan.server.store.moderation import HOST
    from dasan.server.times import now

    await store.moderation.carry_out(action, HOST, now())
