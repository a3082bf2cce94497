"""Verify records: every move, every result, every deal, and the rules that the record claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dasan.errors import BadRecord
from dasan.games.verdict import Verdict, verdict
from dasan.play import fairness
from dasan.play.dealing import Deal, deal_hand, draw_first_dealer
from dasan.play.phases import Phase
from dasan.play.sessions import Session
from dasan.play.state import State
from dasan.records.hidden import check_hidden
from dasan.records.lines import Line, Record, only_record
from dasan.records.read import replay_open
from dasan.records.write import begun_json
from dasan.ruleset.rules import Rules


@dataclass(frozen=True)
class Verified:
    """The result of `verify`. rules: those of the record; verdict: how they compare with the presets. game: the
    replayed hand or session, as far as its cards are open; None if the first hand hides cards. statements: one
    sentence for each verified fact. unproved: one for each fact that cannot be checked from the record.
    """

    rules: Rules
    verdict: Verdict
    game: State | Session | None
    statements: tuple[str, ...]
    unproved: tuple[str, ...]


def verify(record: str | Record, *, rules: Rules | None = None) -> Verified:
    """Replay a record, and check every deal against its commitment and secret. `BadRecord`: a check failed.

    rules: the rules that it must have been played by; None for any. A hand that hides cards is checked as far as
    possible: see `hidden`.
    """
    lines = only_record(record)
    replayed = replay_open(lines)
    stands = verdict(replayed.rules)
    if rules is not None and rules.digest != replayed.rules.digest:
        raise BadRecord(f"it was played by other rules: {stands}")
    game, hands = replayed.game, replayed.hands
    statements = [
        f"{len(hands)} {'hand' if len(hands) == 1 else 'hands'} replayed: every move is legal, every result is right"
    ] * bool(hands)
    unproved: list[str] = []
    for i, state in enumerate(hands, 1):
        begun, secret = state.begun, state.origin.secret
        if not isinstance(begun, Deal):
            unproved.append(f"hand {i} starts from a given position, not from a shuffle")
        elif secret is None:
            over = state.phase is Phase.OVER
            unproved.append(f"hand {i}: the secret {'is not in the record' if over else 'comes when the hand is over'}")
        else:
            _verify_deal(state, begun, secret, i)
            statements.append(f"hand {i}: the secret matches its commitment, and the deal follows from it")
            if i == 1 and isinstance(game, Session):
                _verify_draw(game, begun, secret)
                statements.append("the draw for the first deal follows from the secret")
    if replayed.note is not None:
        unproved.append(replayed.note)
        for i, hand in enumerate(_hands(replayed.unread), len(hands) + 1):
            stop = check_hidden(replayed.rules, hand, replayed.origin)
            if stop is None:
                statements.append(f"hand {i}: every visible move is legal for some deal of the hidden cards")
            else:
                unproved.append(f"hand {i} is checked up to line {stop}: from there on hidden cards decide")
    if any(line.get("type") == "analysis" for line in lines):
        unproved.append("analysis lines are not checked")
    return Verified(replayed.rules, stands, game, tuple(statements), tuple(unproved))


def _hands(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines of each hand."""
    out: list[list[Line]] = []
    for line in lines:
        if not out or line.get("type") in ("deal", "start"):
            out.append([])
        out[-1].append(line)
    return out


def _verify_deal(state: State, begun: Deal, secret: bytes, i: int) -> None:
    if begun.commitment is None or fairness.commitment(secret) != begun.commitment:
        raise BadRecord(f"hand {i}: the secret is not the one that was committed to")
    seed = _seed(secret, begun, state.rules, begun.number)
    again = deal_hand(
        state.rules,
        seed,
        number=begun.number,
        dealer=begun.dealer,
        leader=begun.leader,
        exchange=begun.exchange,
        commitment=begun.commitment,
        contributions=begun.contributions,
    )
    if begun_json(again, 0) != begun_json(begun, 0):
        raise BadRecord(f"hand {i}: the cards dealt do not follow from the secret")


def _verify_draw(session: Session, begun: Deal, secret: bytes) -> None:
    seed = _seed(secret, begun, session.rules, 0)
    if draw_first_dealer(session.rules, seed)[1] != session.opening:
        raise BadRecord("the draw for the first deal does not follow from the secret")


def _seed(secret: bytes, begun: Deal, rules: Rules, number: int) -> bytes:
    try:
        return fairness.deal_seed(secret, begun.contributions, rules.digest, number)
    except ValueError as error:
        raise BadRecord(f"no deal follows from these contributions: {error}") from error
