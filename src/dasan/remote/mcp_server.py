"""A Model Context Protocol server: an agent finds a table, joins it by its link, reads its view and plays.

Its seat sees what `View.describe` says and nothing else. The extra `mcp` installs the protocol's SDK.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Annotated, ParamSpec, TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from dasan.games import PRESETS
from dasan.remote.agent import AgentSeat
from dasan.remote.site import Refusal, Site
from dasan.ruleset import clauses
from dasan.version import __version__

P = ParamSpec("P")
R = TypeVar("R")

LONGEST_WAIT = 60.0
"""Seconds that one call of a tool waits for the agent's turn."""

INSTRUCTIONS = """You play Chinese climbing card games at a table of a dasan server.
List the tables, or take a table's link from the person you play with, and join the table. Then repeat: read the view (this waits
for your turn) and play one of the numbered legal moves, by its number or in words, such as "4H 4S" or "pass". A refusal names a
clause of the rules, which you can look up. After a hand ask for the next one."""

Language = Annotated[str, Field(description="en, fr, zh-Hans or zh-Hant")]


def make_server(server: str, name: str) -> MCPServer:
    """The tools for one agent. server: where `list_tables` looks, `http://HOST:PORT`. name: what others at the table see."""
    mcp = MCPServer("dasan", version=__version__, instructions=INSTRUCTIONS)
    seats: list[AgentSeat] = []

    def seated() -> AgentSeat:
        if not seats:
            raise Refusal("you have no seat: join a table first")
        return seats[0]

    @mcp.tool()
    @_refusing
    def list_tables() -> str:
        """List the tables in the lobby of the server that have an open seat, with their links."""
        lobby = Site(server).get("/api/lobby")
        try:
            lines = [
                f"{server}/t/{table['id']}: {table['title']}, {table['players']} players, "
                f"{table['open']} open {'seat' if table['open'] == 1 else 'seats'}"
                for table in lobby["open"]
            ]
        except (KeyError, TypeError) as error:
            raise Refusal(f"{server} is not a server of dasan") from error
        return "\n".join(lines) or "No table has an open seat. Ask for the link of a table."

    @mcp.tool()
    @_refusing
    def join_table(
        link: Annotated[str, Field(description="such as http://localhost:8000/t/ID", max_length=500)],
        seat: Annotated[int | None, Field(description="its number; left out, the first open seat", ge=0, le=7)] = None,
    ) -> str:
        """Take a seat at a table. You then leave the seat that you had."""
        agent = AgentSeat(link, name, seat)
        while seats:
            seats.pop().close()
        seats.append(agent)
        return f"You have seat {agent.seat}. Read the view next."

    @mcp.tool()
    @_refusing
    def read_view(
        language: Language = "en",
        wait_seconds: Annotated[float, Field(description="wait so long for your turn", ge=0, le=LONGEST_WAIT)] = 30,
    ) -> str:
        """Wait for your turn, then describe everything you may know, with your legal moves numbered."""
        agent = seated()
        agent.wait(wait_seconds)
        return agent.describe(language)

    @mcp.tool()
    @_refusing
    def play(
        move: Annotated[
            Annotated[str, Field(max_length=200)] | Annotated[int, Field(ge=0, le=99_999)],
            Field(description='a number of a legal move, or the move: "4H 4S", "bid 2", "pass"'),
        ],
    ) -> str:
        """Play a move when it is your turn. A refusal names the clause that the move breaks."""
        agent = seated()
        text = agent.move_of(str(move))
        agent.play(text)
        return f"Played: {text}. Read the view to wait for your next turn."

    @mcp.tool()
    @_refusing
    def next_hand() -> str:
        """After a hand: be ready for the next one."""
        seated().next_hand()
        return "You are ready. The next hand is dealt when all are."

    @mcp.tool()
    @_refusing
    def rule(
        clause: Annotated[str, Field(description="its number, such as B3.15", max_length=20)], language: Language = "en"
    ) -> str:
        """The text of a clause of the rules."""
        book, clause = clauses.known(language), clause.strip().upper()
        if clause not in book:
            raise Refusal(f"the rules have no clause {clause!r}")
        return f"{clause} {book[clause].text}"

    @mcp.tool()
    @_refusing
    def rules(
        game: Annotated[str, Field(description=f"one of {', '.join(PRESETS)}", max_length=40)], language: Language = "en"
    ) -> str:
        """All clauses of a game."""
        if game not in PRESETS:
            raise Refusal(f"the games are {', '.join(PRESETS)}")
        return "\n\n".join(f"{c.id} {c.text}" for c in clauses.in_force(PRESETS[game].rules({}), language))

    return mcp


def _refusing(tool: Callable[P, R]) -> Callable[P, R]:
    """Report a refusal to the agent as a tool error of one sentence."""

    @wraps(tool)
    def refusing(*arguments: P.args, **named: P.kwargs) -> R:
        try:
            return tool(*arguments, **named)
        except (Refusal, ValueError) as error:
            raise ToolError(str(error)) from error

    return refusing
