"""The sentences with which something is refused, each with an id, so that a client can word it in its own language."""

from __future__ import annotations

SENTENCES = {
    "turn": "it is not your turn",
    "over": "the hand is over",
    "not-over": "the hand is not over yet",
    "nobody-acts": "nobody is to act",
    "leader": "you lead, and the leader must play",
    "opening": "the first lead must include the {cards}",
    "guard": "your neighbour is on the last card: play your highest card, {cards}",
    "lacking": "you do not hold {cards}",
    "lacking.rank": "you do not hold {n} cards of rank {rank}",
    "lacking.rank.one": "you do not hold {n} card of rank {rank}",
    "count": "{cards} does not beat {table}: it takes {n} cards, not {m}",
    "count.one": "{cards} does not beat {table}: it takes {n} card, not {m}",
    "kind": "{cards} does not beat {table}: it takes a {kind}, not a {other}",
    "higher": "{cards} does not beat {table}: a {kind} must be higher than the {other} on the table",
    "combination": "{cards} is not a combination of this game",
    "joker": "{cards} is no combination: a joker cannot be part of it",
    "run": "{cards} is no {kind}: it takes {n} or more consecutive ranks of {ranks}",
    "run.exact": "{cards} is no {kind}: it takes {n} consecutive ranks of {ranks}",
    "too-many": "no hand holds {n} cards",
    "play.phase": "cards are not played in the {phase}",
    "pass.phase": "nobody passes in the {phase}",
    "auction.closed": "the auction is not open",
    "bids": "bids go from 1 to {n}",
    "bid": "bid {n} is not higher than {m}: bid more or pass",
    "no-bid": "there is no bid",
    "dig": "with this hand you must bid {n}",
    "opener": "you open the auction and must bid at least 1",
    "call.closed": "no card is called now",
    "call.rank": "call a card of rank {low} to 10, not {cards}",
    "call.suit": "name the suit of the card you call, like call 8C",
    "own": "you hold {cards} yourself: call a card of another player",
    "which": "which {rank}? You hold {cards} and their suits count",
    "which.called": "which {rank}? You hold the called card {cards}: say the suits",
    "exchange.closed": "no cards are exchanged now",
    "exchange.now": "now it is time to {wanted}, not to {move}",
    "exchange.give": "give your highest card, {cards}",
    "exchange.offer": "offer two cards other than the {cards} you were given",
    "exchange.take": "take one of the two offered: {cards} or {other}",
    "fast": "too many requests of this kind; wait a little",
    "messages": "too many messages; slow down",
    "hints": "too many hints; wait a little",
    "hints.rated": "there are no hints at a rated table",
    "hints.turn": "hints are given on your turn",
    "advice": "the bot has no advice just now",
    "solver": "the solver has no answer just now",
    "watching": "you only watch this table",
    "talk": "you say a lot; wait a little",
    "chat.gone": "there is no such chat message",
    "chat.none": "there is no chat at this table",
    "chat.silenced": "the host has taken your chat away",
    "chat.empty": "there is nothing to say in that",
    "chat.word": "the host does not want that word in the chat",
    "reactions": "there are no reactions from you at this table",
    "hands.hidden": "this table does not show hands after the end",
    "private": "this table is not yours to see",
    "taken": "that seat is taken",
    "full": "every seat is taken",
    "undealt": "the first hand has not been dealt yet",
    "dealt": "the first hand has been dealt already",
    "ended": "the session has ended",
    "too-long": "this session has become too long to go on; open a new table",
    "seated": "you have a seat already",
    "locked": "the host has locked this table",
    "substitute": "a bot plays in your seat; take it back first",
    "no-substitute": "no bot plays in your seat",
    "contributed": "you have already added to the next shuffle",
    "contribution": "a contribution has at most {n} bytes",
    "left": "you have left already",
    "host": "only the host of the table does that",
    "nobody.chat": "nobody who could chat sits there",
    "nobody": "there is nobody to remove in that seat",
    "somebody": "somebody sits there",
    "not-ready": "{name} is not ready yet",
    "offer.open": "another offer is open",
    "offer.none": "no offer is open",
    "offer.accepted": "you have accepted already",
    "undo.rated": "moves are not taken back at a rated table",
    "undo.others": "other people play here: offer to undo instead",
    "undo.none": "you have not moved in this hand",
    "rematch.early": "a rematch follows when the session has ended",
    "rematch.open": "the rematch is open already",
    "puzzle.turn": "it is not the turn of the side that wins",
    "puzzle.hard": "this position is too hard to judge here",
    "puzzle.none": "there is no such puzzle",
    "no-hand": "there is no such hand",
    "no-table": "there is no such table",
    "no-game": "there is no game {name}",
    "no-account": "there is no account of that name",
    "no-bot": "there is no such bot",
    "account.name": "an account is called by its name",
    "account.already": "you are signed in to an account already",
    "account.taken": "that name is taken",
    "account.wrong": "that is not a name and password of an account here",
    "account.password": "that is not your password",
    "account.unknown": "nothing is known of this browser",
    "account.none": "you are not signed in to an account",
    "link.used": "that link was used already, or is too old",
    "ticket": "that ticket was used already, or is too old",
    "name": "a name has 1 to {n} visible characters",
    "stopping": "the server is stopping",
    "damaged": "this table's log is damaged",
    "failed": "something went wrong on the server; try again",
    "elsewhere": "the table is kept by another process; try again",
    "silent": "the table's server does not answer; try again",
    "busy": "too many tables are open; try again later",
    "gone": "nobody waits for this any more",
    "banned": "the host of this server has banned this player",
    "address": "this server does not answer to that name",
    "cross-site": "requests from other sites are not accepted",
    "too-large": "a request has at most {n} bytes",
}
"""Every refusal's sentence by its id; names in braces stand for values, cards among them as in `4H 4S`."""


class Sentence(str):
    """A sentence of `SENTENCES` with its values filled in: a string that still knows its id and its values."""

    id: str = ""
    values: dict[str, str]


def said(id: str, /, **values: object) -> Sentence:
    """The sentence of an id. Raises KeyError for an unknown id or a value that is missing.

    >>> sentence = said("bid", n=1, m=2)
    >>> sentence, sentence.id, sentence.values
    ('bid 1 is not higher than 2: bid more or pass', 'bid', {'n': '1', 'm': '2'})
    """
    texts = {name: str(value) for name, value in values.items()}
    sentence = Sentence(SENTENCES[id].format(**texts))
    sentence.id = id
    sentence.values = texts
    return sentence
