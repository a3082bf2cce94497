"""`dasan admin fairplay`: pairs that may collude and accounts that may be programs, for a host to check."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from dasan.cli.files import AsJson
from dasan.cli.group import refused
from dasan.cli.output import print_json, say
from dasan.cli.stores import Most, on_store

if TYPE_CHECKING:
    from dasan.bots import Bot
    from dasan.server.store import Store
    from dasan.server.study.fair_play import Agreement

SIMPLE = "greedy"
MOST_HANDS = 200
"""The most hands of an account to search for telling moves."""


@on_store()
async def fairplay(
    store: Store,
    days: Annotated[int, typer.Option(min=1, max=36_600, help="Days that the report covers, up to now.")] = 90,
    programs: Annotated[
        int, typer.Option(min=0, max=10_000, help="Telling moves of each account to compare with the bot; 0: none.")
    ] = 0,
    bot: Annotated[str, typer.Option(help="The bot to compare with.")] = "strong",
    most: Most = 20,
    as_json: AsJson = False,
) -> None:
    """Report signs of collusion and of programs. They prove nothing: look at the hands before you act.

    Pairs: by how many standard errors two people win more together than their skill explains, and by how many one wins
    more from the other. Programs: the share of moves in which an account agrees with the bot against a simple bot; this takes
    about a second a move.
    """
    import dasan
    from dasan.server.study.fair_play import LEAST, pairs
    from dasan.server.times import DAY, now

    with refused(ValueError, OSError):
        strong = dasan.bot(bot)
    since = now() - days * DAY
    hands = await store.fair_play.hands(since)
    judged = pairs(hands)
    shared = await store.fair_play.shared_networks()
    accounts = await store.fair_play.accounts(since, LEAST) if programs else []
    with refused(ValueError):  # a network cannot play every game
        agreements = [await _agreement(store, one, since, programs, strong) for one in accounts[:most]]
    named = {one for pair in judged[:most] for one in (pair.one, pair.other)} | set(accounts[:most])
    people = await store.moderation.people(named)
    names = {one: row["name"] or one for one, row in people.items()}
    rows = [{**asdict(pair), "networks": shared.get((pair.one, pair.other), 0)} for pair in judged[:most]]
    programs_ = [{**asdict(one), "suspicious": one.suspicious} for one in agreements]
    if as_json:
        print_json({"hands": len(hands), "judged": len(judged), "pairs": rows, "programs": programs_, "names": names})
        return
    say(f"{len(hands)} hands of two people or more, {len(judged)} pairs with {LEAST} hands together and apart")
    for row in rows:
        say(
            f"{'!' if row['suspicious'] else ' '} {names[row['one']]} and {names[row['other']]}: {row['hands']} hands,"
            f" together {row['joint']:+.1f}, from the second to the first {row['transfer']:+.1f},"
            f" networks in common {row['networks']}"
        )
    for one in agreements:
        say(
            f"{'!' if one.suspicious else ' '} {names[one.player]}: moves as {bot} {one.share:.0%}"
            f" of {one.decisions} times, at least {one.least:.0%}"
        )


async def _agreement(store: Store, player: str, since: int, wanted: int, strong: Bot) -> Agreement:
    import dasan
    from dasan.server.study.fair_play import agreement, decisions

    simple = dasan.bot(SIMPLE)
    same = total = 0
    for hand, seat in await store.fair_play.played(player, since, MOST_HANDS):
        for _, equal in decisions(hand, [seat], simple, strong):
            total, same = total + 1, same + equal
            if total == wanted:
                return agreement(player, same, total)
    return agreement(player, same, total)
