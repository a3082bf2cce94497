"""Who is the host of a rematch, and who is silent there."""

from __future__ import annotations

import pytest

from dasan.server.protocol.commands import SilenceCommand, SitCommand
from dasan.server.tables.directory import Tables

pytestmark = pytest.mark.full


async def test_a_rematch_keeps_whom_the_host_has_silenced(tables: Tables) -> None:
    """Also who takes an open chair of it."""
    table_id, _ = await tables.create("ann", "big-two", {}, ["me", "open", "open", "open"], name="Ann")
    for seat, player in enumerate(("bob", "cyd", "dee"), 1):
        if player == "dee":
            for one in (1, 2):
                silence = SilenceCommand(type="silence", id=f"s{one}", seat=one, silent=True)
                await tables.command(table_id, "ann", silence)
        await tables.command(table_id, player, SitCommand(type="sit", id="sit", seat=seat, name=player.title()))
    before = await tables.look(table_id)
    await tables.open_rematch(before, [0, 1])
    again = before.head.rematch
    assert [chair.silent for chair in (await tables.look(again)).chairs] == [False, True, False, False]
    for seat, player in ((3, "cyd"), (2, "dee")):
        await tables.command(again, player, SitCommand(type="sit", id="sit", seat=seat, name=player.title()))
    assert [chair.silent for chair in (await tables.look(again)).chairs] == [False, True, False, True]


async def test_a_silent_player_is_not_the_host_of_a_rematch_if_another_can_be(tables: Tables) -> None:
    for stay, host in (([1, 2], "cyd"), ([1], "bob"), ([0, 1], "ann")):
        table_id, _ = await tables.create("ann", "big-two", {}, ["me", "open", "open", "open"], name="Ann")
        for seat, player in enumerate(("bob", "cyd"), 1):
            await tables.command(table_id, player, SitCommand(type="sit", id="sit", seat=seat, name=player.title()))
        await tables.command(table_id, "ann", SilenceCommand(type="silence", id="s", seat=1, silent=True))
        before = await tables.look(table_id)
        await tables.open_rematch(before, stay)
        assert (await tables.look(before.head.rematch)).host == host
