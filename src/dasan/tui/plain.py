"""The table line by line: every line is a complete sentence, for pipes and screen readers."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TextIO

from dasan.cards import format_cards
from dasan.errors import DasanError
from dasan.games import PRESETS
from dasan.ruleset import clauses
from dasan.text.words import Words, kind_words
from dasan.tui.asking import question, spell_out
from dasan.tui.game import ME, TableGame

HELP = """\
Say a move, or one of these words:
  4H 4S      play cards: rank, then suit (D, C, H or S); T or 10 is a ten, BJ and RJ are the jokers
  5 5 5      the same without suits, where suits make no difference
  pass       pass; p is enough
  bid 2      bid in the auction; 2 is enough
  call 8C    call the partner's card; give, offer and take exchange cards; the card alone is enough
  hand       your cards and how many the others hold
  moves      every move you have
  hint       what a bot would do
  rules      the clauses in force; rules B3.15 reads one out
  next       deal the next hand, when this one is over
  quit       leave the table
"""

_MOST_LISTED = 60


def run(game: TableGame, lines: TextIO, out: TextIO, *, prompt: bool = False) -> None:
    """Play until `quit` or the end of `lines`. prompt: write `> ` before reading, for a person at a terminal."""
    table = _PlainTable(game, out)
    table.greet()
    for line in _answers(table, lines, out, prompt):
        words = line.split()
        if words and words[0].lower() in ("quit", "exit", "q"):
            break
        table.answer(line)
    table.farewell()


def _answers(table: _PlainTable, lines: TextIO, out: TextIO, prompt: bool) -> Iterator[str]:
    """The person's answers, one line per turn, after a report of everything before the turn."""
    while True:
        table.catch_up()
        if prompt:
            out.write("> ")
        out.flush()
        line = lines.readline(1000)
        if not line:
            return
        yield line.replace("\ufeff", "").strip()


class _PlainTable:
    def __init__(self, game: TableGame, out: TextIO) -> None:
        self.game = game
        self.words = Words(game.rules, game.names, ME)
        self._out = out
        self._asked: tuple[int, int] | None = None

    def say(self, *sentences: str) -> None:
        for sentence in sentences:
            self._out.write(sentence + "\n")

    def greet(self) -> None:
        rules = self.game.rules
        others = ", ".join(self.game.names[1:])
        self.say(
            f"{PRESETS[rules.name].title}. Round the table, {rules.direction.value}: you, {others}.",
            "Type ? for help, quit to leave.",
        )

    def farewell(self) -> None:
        if self.words.rules.pays and self.game.session.results:
            self.say(self.words.balances(self.game.session.balances))
        self.say("Goodbye.")

    def catch_up(self) -> None:
        """Let the bots move and report everything up to the person's next decision."""
        game = self.game
        self.say(*game.news(self.words))
        while not game.over and not game.my_turn:
            game.play_bot(game.bot_move())
            self.say(*game.news(self.words))
        now = (game.session.number, len(game.view.events))
        if now != self._asked:
            self._asked = now
            self.ask()

    def ask(self) -> None:
        if self.game.over:
            self.say("The hand is over. Say next for the next hand, or quit.")
        else:
            self.say(self._hand(), question(self.game.view, self.words))

    def answer(self, line: str) -> None:
        """Carry out one line of input."""
        word, _, rest = line.lower().partition(" ")
        match word:
            case "":
                self.ask()
            case "?" | "help":
                self.say(HELP.rstrip())
            case "hand":
                self.say(self._hand(), self._sizes())
            case "moves":
                self._moves()
            case "hint":
                self._hint()
            case "rules":
                self._rules(rest.strip().upper())
            case "next" | "n":
                self._next()
            case _:
                self._move(line)

    def _move(self, line: str) -> None:
        if self.game.over:
            self.say("The hand is over. Say next for the next hand, or quit.")
            return
        try:
            self.game.play(spell_out(self.game.view, line))
        except DasanError as error:
            self.say(f"Not possible: {error}")

    def _next(self) -> None:
        try:
            self.game.next_hand()
        except DasanError as error:
            self.say(f"Not possible: {error}")

    def _hint(self) -> None:
        if self.game.over:
            self.say("The hand is over. Say next for the next hand, or quit.")
        else:
            self.say(f"A bot would say: {self.game.hint()}")

    def _moves(self) -> None:
        moves = self.game.view.legal_moves()
        for move in moves[:_MOST_LISTED]:
            kind = "" if move.combination is None else f" ({kind_words(move.combination.kind)})"
            self.say(f"{move}{kind}")
        if len(moves) > _MOST_LISTED:
            self.say(f"and {len(moves) - _MOST_LISTED} more.")
        if not moves:
            self.say("You have no move now.")

    def _rules(self, id: str) -> None:
        in_force = {clause.id: clause for clause in clauses.in_force(self.game.rules)}
        if not id:
            self.say(*(f"{clause.id} {clause.title}." for clause in in_force.values()))
        elif id in in_force:
            paragraphs = in_force[id].text.splitlines()
            self.say(f"{id}.", *(textwrap.fill(line, 100) for line in paragraphs if line))
        else:
            self.say(f"There is no clause {id} in this game; rules lists them.")

    def _hand(self) -> str:
        hand = self.game.view.hand
        if not hand:
            return "You have no cards left."
        return f"Your hand, {len(hand)} {'card' if len(hand) == 1 else 'cards'}: {format_cards(hand)}"

    def _sizes(self) -> str:
        sizes = self.game.view.hand_sizes
        return "Cards left: " + ", ".join(f"{self.words.name(s)}: {n}" for s, n in enumerate(sizes)) + "."
