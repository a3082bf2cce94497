"""The table of both terminal modes: one person, bots in the other seats, one session."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence

from dasan.bots import Bot
from dasan.errors import DasanError, IllegalPlay
from dasan.play.fairness import SECRET_BYTES
from dasan.play.moves import Move
from dasan.play.phases import Phase
from dasan.play.sessions import Session, session
from dasan.play.view import View
from dasan.ruleset.rules import Rules
from dasan.text.words import YOU, Words

ME = 0
"""The seat of the person at the terminal."""

BOT_NAMES = tuple(f"Bot {i}" for i in range(1, 8))


class TableGame:
    """A session in progress: the only mutable state of the terminal modes.

    Screens read only `view`, so that none can show hidden cards. bots: one for each seat except the person's, in order.
    seed: determines all deals; None for random ones. ValueError: the number of bots does not match.
    """

    def __init__(self, rules: Rules, bots: Sequence[Bot], *, seed: int | None = None) -> None:
        if len(bots) != rules.players - 1:
            raise ValueError(f"{rules.name} takes {rules.players - 1} bots, not {len(bots)}")
        self.rules = rules
        self.names = (YOU, *BOT_NAMES[: len(bots)])
        seats = [{"kind": "human", "name": YOU}]
        seats += [
            {"kind": "bot", "name": name, "bot": bot.name, "version": bot.version}
            for name, bot in zip(self.names[1:], bots, strict=True)
        ]
        self.session: Session = session(
            rules, seed=secrets.token_bytes(SECRET_BYTES) if seed is None else seed, seats=seats
        )
        self._bots = dict(enumerate(bots, 1))
        self._reported = 0
        self._hand_told = 0

    @property
    def view(self) -> View:
        return self.session.state.view(ME)

    @property
    def my_turn(self) -> bool:
        return self.session.state.to_act == ME

    @property
    def over(self) -> bool:
        """Whether the hand at the table is over."""
        return self.session.state.phase is Phase.OVER

    def play(self, move: Move | str) -> None:
        """Make the person's move. `DasanError`: the engine refuses it, or it is not their turn."""
        if not self.my_turn and not self.over:
            raise IllegalPlay("it is not your turn", clause="G.04")
        self.session = self.session.play(move)

    def objection(self, move: Move | str) -> DasanError | None:
        """Why the person may not make this move now; None if it is legal."""
        try:
            self.session.play(move)
        except DasanError as error:
            return error
        return None

    def bot_move(self) -> Move:
        """The choice of the bot to act, without playing it. `IllegalPlay`: it is not a bot's turn."""
        seat = self.session.state.to_act
        if seat is None or seat == ME:
            raise IllegalPlay("it is not a bot's turn", clause="G.04")
        return self._bots[seat].choose(self.session.state.view(seat))

    def play_bot(self, move: Move) -> None:
        """Make a bot's move."""
        self.session = self.session.play(move)

    def hint(self) -> Move:
        """The move that a bot would make in the person's place."""
        return self._bots[ME + 1].choose(self.view)

    def next_hand(self) -> None:
        """Deal the next hand. `IllegalPlay`: this one is not over."""
        self.session = self.session.next_hand()
        self._reported = 0

    def news(self, words: Words) -> Iterator[str]:
        """Sentences about the events since the last call."""
        view = self.view
        if self._hand_told < self.session.number:
            if self._hand_told == 0:
                yield from (words.event(event) for event in self.session.opening)
            self._hand_told = self.session.number
            yield words.begun(view.begun, self.session.number)
        for event in view.events[self._reported :]:
            yield words.event(event)
        just_over = view.result is not None and self._reported < len(view.events)
        self._reported = len(view.events)
        if just_over and view.result is not None:
            yield from words.result(view.result)
            if words.rules.pays:
                yield words.balances(self.session.balances)
