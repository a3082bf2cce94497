"""A view in plain sentences, with the legal moves numbered, in the languages of the rule book.

It reads only the JSON form of a view (`View.to_json`), so it also describes views from a server and cannot reveal
anything that the seat may not know.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from dasan.arguments import instance, shown
from dasan.errors import DasanError
from dasan.games import PRESETS
from dasan.games.verdict import verdict
from dasan.ruleset.clauses import LANGUAGES
from dasan.ruleset.policies import BidScoring, Leftover
from dasan.ruleset.rules import Rules


@cache
def messages(language: str) -> Mapping[str, str]:
    """The sentences of one language by key. ValueError: the language is not available."""
    if language not in LANGUAGES:
        raise ValueError(f"a view is described in {', '.join(LANGUAGES)}, not in {shown(language)}")
    text = (files("dasan.text") / "messages" / f"{language}.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def describe(view: Mapping[str, Any], rules: Rules, language: str = "en") -> str:
    """Everything the seat of a view knows, one fact a line, and its legal moves numbered from 1.

    view: as `View.to_json` gives it, with all its events. ValueError: no sentences in this `language`. TypeError: `language` is
    not a string.
    """
    instance(language, str, f"a view is described in {', '.join(LANGUAGES)}")
    return "\n".join(_Describer(view, rules, title(rules, language), messages(language)).lines())


def title(rules: Rules, language: str = "en") -> str:
    """A title for the game of these rules: that of the closest preset, marked if the rules differ from it. Translations are in
    `messages/`; a preset of another package has an English title only. ValueError: the language is not available.

    >>> import dasan
    >>> title(dasan.rules("winner", players=3))
    'Winner'
    """
    stands, words = verdict(rules), messages(language)
    named = words.get(f"title.{stands.preset}", PRESETS[stands.preset].title)
    return words["title.own"].format(game=named) if stands.differences else named


@dataclass(frozen=True)
class _Describer:
    view: Mapping[str, Any]
    rules: Rules
    title: str
    words: Mapping[str, str]

    def lines(self) -> Iterator[str]:
        yield from self._introduction()
        yield from self._events()
        yield from self._standing()
        if self.view["phase"] == "over":
            yield from self._result()
        else:
            yield from self._turn()

    def _say(self, key: str, **values: object) -> str:
        return self.words[key].format(**values)

    def _introduction(self) -> Iterator[str]:
        view, seat = self.view, self.view["seat"]
        yield self._say("game", game=self.title, players=view["players"])
        yield self._say("spectator" if seat is None else "you", seat=seat, last=view["players"] - 1)
        yield self._say("cards")
        if not self.rules.suits_ranked:
            yield self._say("equal_suits.flush" if self.rules.suits_matter else "equal_suits")
        yield self._say("dealer", seat=view["dealer"])

    def _events(self) -> Iterator[str]:
        if self.view["events"]:
            yield self._say("log")
        for event in self.view["events"]:
            yield f"- {self._event(event)}"

    def _event(self, event: Mapping[str, Any]) -> str:
        cards = event.get("cards", ())
        key = f"event.{event['type']}"
        if event["type"] == "open":
            key = f"event.{'begin' if self.rules.auction is None else 'open'}{'.cards' if cards else ''}"
        if event["type"] == "kitty" and self.rules.leftover is Leftover.LOWEST:
            key = "event.leftover"
        return self._say(
            key, seat=event["seat"], bid=event.get("bid"), cards=self._cards(cards), kind=self._kind_of(cards)
        )

    def _standing(self) -> Iterator[str]:
        """The current situation: phase, bidder, partner, table, who has passed, hands."""
        view = self.view
        yield self._say(f"phase.{view['phase']}")
        if view["bid"] is not None:
            bidding = view["phase"] == "auction"
            played = f"bidder.play.{view['preset']}"
            key = "bidder" if bidding else played if played in self.words else "bidder.play"
            yield self._say(key, bid=view["bid"], seat=view["bidder"])
        elif view["phase"] == "auction":
            yield self._say("bid.none")
        if view.get("doublings"):
            yield self._say("doublings.one" if view["doublings"] == 1 else "doublings", n=view["doublings"])
        if view["called"] is not None:
            yield self._say("called", card=view["called"])
            unknown = view["partner"] is None
            yield self._say("partner.unknown" if unknown else "partner", seat=view["partner"])
        if view["phase"] == "play":
            table = view["table"]
            yield self._say(
                "table.none" if table is None else "table",
                kind="" if table is None else self._kind(table["kind"]),
                cards="" if table is None else self._cards(table["cards"]),
                seat=view["table_seat"],
            )
        out = "passed.final" if self.rules.pass_is_final and view["phase"] == "play" else "passed"
        # The winner of a dragon still holds all its cards (H.31).
        finished = [seat for seat in view["finished"] if not view["hand_sizes"][seat]]
        for key, seats in ((out, view["passed"]), ("finished", finished)):
            if seats:
                yield self._say(key, seats=self._seats(seats))
        for key in ("offered", "played"):
            if view[key]:
                yield self._say(key, cards=self._cards(view[key]))
        sizes = (self._say("size", seat=seat, n=size) for seat, size in enumerate(view["hand_sizes"]))
        yield self._say("sizes", sizes=self._listed(sizes))
        if view["seat"] is not None:
            yield self._say("hand" if view["hand"] else "hand.none", cards=self._cards(view["hand"]))

    def _turn(self) -> Iterator[str]:
        view = self.view
        if view["must_include"] is not None:
            yield self._say("must_include", card=view["must_include"])
        if view["guarding"] is not None:
            yield self._say("guarding.lead" if view["table"] is None else "guarding", seat=view["guarding"])
        if not view["legal_moves"]:
            yield self._say("to_act", seat=view["to_act"])
            return
        auction = self.rules.auction
        if auction is not None and view["phase"] == "auction":
            held = auction.dig([c[0] for c in view["hand"]])
            if held is not None:
                yield self._say("must_dig" if held else "must_dig.every", cards=" ".join(held), bid=auction.top)
        if self.rules.suits_ranked and any("choices" in move for move in view["legal_moves"]):
            yield self._say("listed_once")
        yield self._say("your_turn")
        for number, move in enumerate(view["legal_moves"], 1):
            kind, cards = move.get("kind"), self._cards(move.get("cards", ()))
            words = self._say(
                f"move.{move['type']}", cards=cards, bid=move.get("bid"), kind=self._kind(kind) if kind else ""
            )
            yield f"{number}. {words}"

    def _result(self) -> Iterator[str]:
        view, result = self.view, self.view["result"]
        if not result["winners"]:
            yield self._say("void")
        else:
            yield self._say("winners", seats=self._seats(result["winners"]))
        if len(result["finish_order"]) > 1:
            yield self._say("order", seats=self._seats(result["finish_order"]))
        if result["foul"] is not None:
            yield self._say("foul.pays" if self.rules.guard_pays else "foul", seat=result["foul"])
        if self._sprung():
            yield self._say("spring")
        if self.rules.pays:
            payments = (f"{self._say('seat', seat=seat)} {paid:+d}" for seat, paid in enumerate(result["payments"]))
            yield self._say("payments", payments=self._listed(payments))
        if view["hands"] is not None:
            hands = (f"{self._say('seat', seat=s)}: {self._cards(hand) or '-'}" for s, hand in enumerate(view["hands"]))
            yield self._say("hands", hands="; ".join(hands))
        if view["kitty"]:
            key = "leftover" if self.rules.leftover is Leftover.LOWEST else "kitty"
            yield self._say(key, cards=self._cards(view["kitty"]))

    def _sprung(self) -> bool:
        """Whether a spring has doubled the payment: bombs alone would have doubled it less often (H.16)."""
        view, scoring = self.view, self.rules.scoring
        if view["bid"] is None or not isinstance(scoring, BidScoring):
            return False
        paid, winners = min(map(abs, view["result"]["payments"])), len(view["result"]["winners"])
        shares = min(winners, view["players"] - winners) if scoring.pay_each_winner else 1
        return bool(paid > shares * view["bid"] * 2 ** view.get("doublings", 0))

    def _cards(self, cards: Sequence[str]) -> str:
        if "?" in cards:
            return self._say("hidden.one" if len(cards) == 1 else "hidden")
        return " ".join(cards)

    def _kind_of(self, cards: Sequence[str]) -> str:
        try:
            return self._kind(self.rules.combination(" ".join(cards)).kind) if cards and "?" not in cards else ""
        except DasanError:
            return ""

    def _kind(self, kind: str) -> str:
        return self.words.get(f"kind.{kind}", kind)

    def _seats(self, seats: Iterable[int]) -> str:
        return self._listed(self._say("seat", seat=seat) for seat in seats)

    def _listed(self, words: Iterable[str]) -> str:
        return self.words["list"].join(words)
