"""Dispatch commands from sockets and HTTP: to their table, to a bot for advice, or to the reports."""

from __future__ import annotations

from typing import Any

import dasan
from dasan.reasons import reason
from dasan.server.connections.rate_limits import Buckets
from dasan.server.protocol.commands import (
    ChatCommand,
    Command,
    ContributeCommand,
    HintCommand,
    ReactCommand,
    ReportCommand,
    ReturnCommand,
    SeatBotCommand,
)
from dasan.server.protocol.messages import Candidate, Hint
from dasan.server.refusals import Refused
from dasan.server.settings import Settings
from dasan.server.tables.bot_choices import DEFAULT_BOT
from dasan.server.tables.directory import Tables, check_bot
from dasan.server.times import now
from dasan.server.workers.pools import PoolBusy
from dasan.server.workers.warming import Warming, part_of


class Commands:
    """Carries out players' commands, within the limits of each player."""

    def __init__(self, tables: Tables, settings: Settings, warming: Warming) -> None:
        self._tables = tables
        self._warming = warming
        self._all = Buckets(settings.message_rate, settings.message_burst)
        """By player, because a player may have many sockets, each with its own limit."""
        self._said = Buckets(settings.chat_rate, settings.chat_burst)
        self._hints = Buckets(settings.hint_rate, settings.hint_burst)

    async def carry_out(
        self, table_id: str, player: str | None, command: Command, address: str, lag: int = 0
    ) -> int | Hint:
        """The length of the table's log after the command, or the requested hint. address: the player's."""
        if player is None:
            raise Refused("forbidden", reason("watching"))
        if not self._all.take(player):
            raise Refused("too-fast", reason("messages"))
        match command:
            case HintCommand():
                return await self._hint(table_id, player, command, address)
            case ReactCommand():
                await self.talk(player, "")
                await self._tables.react(table_id, player, command)
                return (await self._tables.look(table_id)).seq
            case ReportCommand():
                self.may_talk(player)
                return await self._report(table_id, player, command)
            case ChatCommand() | ContributeCommand():
                await self.talk(player, command.text)
                return await self._tables.command(table_id, player, command)
            case ReturnCommand():
                # By returning again and again, a player could keep the bot that finishes their hand from its move.
                await self._tables.store.duplicates.check_going_on(table_id, now())
                return await self._tables.command(table_id, player, command)
            case _:
                if isinstance(command, SeatBotCommand) and command.bot is not None:
                    check_bot(command.bot)
                return await self._tables.command(table_id, player, command, lag)

    def may_talk(self, player: str) -> None:
        """``Refused``: the player talks too much, at tables and in groups together."""
        if not self._said.take(player):
            raise Refused("too-fast", reason("talk"))

    async def talk(self, player: str, text: str) -> None:
        """``Refused``: the player talks too much, or may not say this."""
        self.may_talk(player)
        await self._tables.store.moderation.check_said(player, text, now())

    async def _hint(self, table_id: str, player: str, command: HintCommand, address: str) -> Hint:
        if command.bot is not None:
            check_bot(command.bot)
        room = await self._tables.look(table_id)
        seat = room.own_seat(player)
        if room.head.settings.counts:
            raise Refused("forbidden", reason("hints.rated"))
        if room.head.event is not None:
            raise Refused("forbidden", reason("event.table"))
        if room.to_act != seat or room.state is None:
            raise Refused("illegal", reason("hints.turn"))
        if not self._hints.take_for(address) or not self._hints.take(player):
            raise Refused("too-fast", reason("hints"))
        view = room.state.view(seat)
        bot = command.bot or self._adviser(room.head.rules)
        try:
            unit, candidates = await self.explain(bot, view)
        except Refused as refusal:
            if bot in (command.bot, DEFAULT_BOT) or isinstance(refusal, PoolBusy):
                raise
            # On a busy machine `search` may not load its kernels in time: its process is killed, and the next one
            # starts over.
            bot = DEFAULT_BOT
            unit, candidates = await self.explain(bot, view)
        return Hint(type="hint", id=command.id, seq=room.seq, bot=bot, unit=unit, candidates=candidates)

    def _adviser(self, rules: dasan.Rules) -> str:
        """`search` if its kernels are compiled, else a bot that needs none."""
        return "search" if self._warming.ready(part_of(rules)) else DEFAULT_BOT

    async def explain(self, bot: str, view: dasan.View) -> tuple[Any, list[Candidate]]:
        """A bot's advice for a view: (unit of its values, moves considered, best first)."""
        explanation = await self._tables.bots.ask("advice", "explain", bot, view)
        return explanation["unit"], [Candidate.model_validate(one) for one in explanation["candidates"]]

    async def _report(self, table_id: str, player: str, command: ReportCommand) -> int:
        room = await self._tables.look(table_id)
        room.own_seat(player)
        line = next((line for line in room.chat if line.seq == command.message), None)
        if line is None:
            raise Refused("not-found", reason("chat.gone"))
        await self._tables.store.reports.add(
            {
                "table_id": table_id,
                "seq": line.seq,
                "by": player,
                "text": line.text,
                "reason": command.reason,
                "at": now(),
            }
        )
        return room.seq
