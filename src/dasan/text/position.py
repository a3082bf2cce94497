"""A position in words: the hands, the cards on the table, and the seat to act."""

from __future__ import annotations

from collections.abc import Iterator

from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.text.words import YOU, Words, bidder_word, listed, seat_names, signs


def words_of(state: State) -> Words:
    """The `Words` for the players of a state, with the names in its record."""
    names = seat_names(state.origin.seats, state.rules.players)
    return Words(state.rules, names, names.index(YOU) if YOU in names else None, signs)


def held(words: Words, state: State, width: int = 0) -> Iterator[str]:
    """One line for each seat: its name in at least `width` columns, its role if it has one, its cards."""
    parts = [_part(state, seat) for seat in range(state.rules.players)]
    width, wide = max(width, *map(len, words.names)), max(map(len, parts))
    for name, part, hand in zip(words.names, parts, state.hands, strict=True):
        yield f"{name:{width}}  {f'{part:{wide}}  ' if wide else ''}{signs(hand)}".rstrip()


def _part(state: State, seat: int) -> str:
    if seat == state.bidder:
        word = bidder_word(state.rules)
        return word if state.bid is None else f"{word} for {state.bid}"
    return "partner" if seat == state.partner else ""


def to_act(words: Words, state: State) -> str:
    """Sentences: what was played and who has passed in this trick, and who is to act."""
    if state.to_act is None:
        return "The hand is over."
    phrase = ""
    if state.table is not None and state.table_seat is not None:
        phrase = words.does(state.table_seat, "have", f"played {signs(state.table.cards)}") + " "
    elif state.phase is Phase.PLAY:
        return words.does(state.to_act, "lead")
    if state.passed:
        names = listed([words.name(seat) for seat in state.passed])
        have = "have" if len(state.passed) > 1 or state.passed[0] == words.me else "has"
        phrase += f"{names[0].upper()}{names[1:]} {have} passed. "
    return phrase + words.does(state.to_act, "be", "to act")
