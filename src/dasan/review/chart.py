"""A review as an SVG chart: the share of legal moves that keep the result, for every move."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from textwrap import wrap

from dasan.play.phases import Phase
from dasan.review.best_play import Judged, Review
from dasan.review.report import share_words
from dasan.text.words import bidder_word

STEP = 14
"""Pixels per move."""
MOVES = 23
"""Moves in a row, so that the chart fits a phone's width."""
LEFT, RIGHT = 48, 16
WIDTH = LEFT + STEP * MOVES + RIGHT
HEIGHT = 90
"""Pixels from 0 to 100 %."""
LINE = 16
LETTERS = 50
"""The number of letters that fit into the width."""
NUMBER = 10
"""Width of a digit of a label, with padding."""

STYLE = """
svg{--paper:#fff;--ink:#1c2430;--dim:#5c6877;--line:#d5dbe3;--a:#0b6bcb;--b:#a86400;--bad:#c21f30}
@media(prefers-color-scheme:dark){
svg{--paper:#14181f;--ink:#e8ecf2;--dim:#a3afbe;--line:#343c48;--a:#6cb2ff;--b:#e0a83e;--bad:#ff7b86}}
svg{background:var(--paper);font:12px system-ui,sans-serif;max-width:100%;height:auto}
text{fill:var(--ink)} .title{font-weight:600} .dim{fill:var(--dim)} .line{stroke:var(--line)}
.a{stroke:var(--a);fill:var(--a)} .b{stroke:var(--b);fill:var(--b)} .open{fill:var(--paper);stroke-width:1.5}
.stem,.maybe{stroke-width:2} .maybe{stroke-dasharray:2 3}
.bad{stroke:var(--bad);stroke-width:2.5;fill:none} .badly{fill:var(--bad);font-weight:600}
"""


def picture(
    review: Review,
    title: str = "",
    names: Sequence[str] | None = None,
    text: Callable[[Judged], str] = lambda j: str(j.move),
) -> str:
    """An SVG file with a stem for each move of the play, its height the share; forced moves have hollow marks.

    Circles are the bidder's side and squares the others (in games without sides, the seat that led first and the rest).
    A cross and a number mark a move that did not keep the result, a dashed stem an unproved move, a question mark an
    unjudged one. A row has `MOVES` moves.
    """
    moves = [j for j in review.moves if j.phase in (Phase.CALL, Phase.PLAY)]
    names = names or [f"seat {seat}" for seat in range(review.hand.rules.players)]
    titles = [f"Move {j.seq}, {names[j.seat]}: {text(j)}. {_words(j)}" for j in moves]
    bad = [words for words, j in zip(titles, moves, strict=True) if j.kept is False]
    body: list[str] = []
    y = 0
    heading = [("title", line) for line in wrap(title, LETTERS)]
    heading += [("dim", "share of legal moves that keep the result, by move")]
    first = next((j for j in moves if j.kept is False), None)
    if first is not None:
        known = "first known " if any(j.kept is None and j.seq < first.seq for j in moves) else ""
        turn = f"{known}turning point: move {first.seq}, {names[first.seat]}, {text(first)}"
        heading += [("badly", line) for line in wrap(turn, LETTERS)]
    for kind, line in heading:
        y += LINE
        body.append(f'<text class="{kind}" x="8" y="{y}">{escape(line)}</text>')
    y += 6
    for start in range(0, max(len(moves), 1), MOVES):
        row = moves[start : start + MOVES]
        labels, lines = _labels(row)
        floor = y + 12 + LINE * lines + HEIGHT
        body += _grid(floor)
        body += [
            f'<text class="badly" x="{x:g}" y="{floor - HEIGHT - 8 - LINE * line}" text-anchor="middle">{seq}</text>'
            for x, line, seq in labels
        ]
        for i, j in enumerate(row):
            marks = "".join(_mark(review, j, _x(i), floor))
            body.append(f"<g><title>{escape(titles[start + i])}</title>{marks}</g>")
            if i % 5 == 0:
                body.append(f'<text class="dim" x="{_x(i):g}" y="{floor + 18}" text-anchor="middle">{j.seq}</text>')
        y = floor + 24
    body += _legend(review, y)
    height = y + 2 * LINE + 20
    counted = _listed(bad, moves)
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'role="img" aria-labelledby="title desc">',
        f'<title id="title">{escape(title or "Share of legal moves that keep the result")}</title>',
        f'<desc id="desc">{escape(f"For each move, the share of legal moves that keep the result. {counted}")}</desc>',
        f"<style>{STYLE.strip()}</style>",
    ]
    return "\n".join([*head, *body, "</svg>"]) + "\n"


def _x(place: int) -> float:
    return LEFT + STEP * (place + 0.5)


def _labels(row: Sequence[Judged]) -> tuple[list[tuple[float, int, int]], int]:
    """(x, line, number) of a label for each move that did not keep the result, without overlaps, and the number of
    lines.
    """
    out: list[tuple[float, int, int]] = []
    ends: list[float] = []
    for i, j in enumerate(row):
        if j.kept is not False:
            continue
        half = NUMBER * len(str(j.seq)) / 2
        line = next((n for n, end in enumerate(ends) if end <= _x(i) - half), len(ends))
        ends[line : line + 1] = [_x(i) + half]
        out.append((_x(i), line, j.seq))
    return out, len(ends)


def _grid(floor: float) -> Iterator[str]:
    for percent in (0, 50, 100):
        y = floor - HEIGHT * percent / 100
        yield f'<line class="line" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:g}" y2="{y:g}"/>'
        yield f'<text class="dim" x="{LEFT - 8}" y="{y + 4:g}" text-anchor="end">{percent} %</text>'


def _mark(review: Review, j: Judged, x: float, floor: float) -> Iterator[str]:
    if j.shares is None:
        yield f'<text class="dim" x="{x:g}" y="{floor - 4:g}" text-anchor="middle">?</text>'
        return
    y, most = (floor - HEIGHT * share for share in j.shares)
    side = "a" if _ours(review, j.seat) else "b"
    if not j.forced:
        yield f'<line class="{side} stem" x1="{x:g}" x2="{x:g}" y1="{floor:g}" y2="{y:g}"/>'
    if most < y:
        yield f'<line class="{side} maybe" x1="{x:g}" x2="{x:g}" y1="{y:g}" y2="{most:g}"/>'
    if j.kept is False:
        yield _cross(x, y)
    yield _head(side, x, y, j.forced)


def _head(side: str, x: float, y: float, hollow: bool = False) -> str:
    kind = f"{side} open" if hollow else side
    if side == "a":
        return f'<circle class="{kind}" cx="{x:g}" cy="{y:g}" r="3.5"/>'
    return f'<rect class="{kind}" x="{x - 3:g}" y="{y - 3:g}" width="6" height="6"/>'


def _cross(x: float, y: float) -> str:
    return f'<path class="bad" d="M{x - 7:g} {y - 7:g}l14 14m0-14l-14 14"/>'


def _legend(review: Review, y: float) -> Iterator[str]:
    """The legend: two lines below `y`."""
    ours = f"the {bidder_word(review.hand.rules)}'s side" if review.hand.bidder is not None else "who led first"
    signs = [
        [
            (0, 14, _head("a", 4, 0), ours),
            (130, 14, _head("b", 4, 0), "others"),
            (200, 20, _cross(7, 0), "did not keep it"),
        ],
        [
            (0, 26, _head("a", 4, 0, True) + _head("b", 18, 0, True), "forced"),
            (80, 12, '<line class="b maybe" x1="4" x2="4" y1="-8" y2="8"/>', "not proved"),
            (170, 12, '<text class="dim" y="4">?</text>', "not judged"),
        ],
    ]
    for line, row in enumerate(signs):
        for x, gap, sign, words in row:
            place = f'transform="translate({8 + x},{y + 16 + (LINE + 4) * line:g})"'
            yield f'<g class="key" {place}>{sign}<text x="{gap}" y="4">{words}</text></g>'


def _ours(review: Review, seat: int) -> bool:
    hand = review.hand
    return seat in hand.partners if hand.bidder is not None else seat == hand.opener


def _words(j: Judged) -> str:
    if j.forced:
        return "Forced."
    if j.shares is None:
        return "Not judged."
    verdict = {True: "It keeps the result.", False: "It does not keep the result.", None: "Not proved."}[j.kept]
    share = share_words(j, "keeps the result", "keep the result").capitalize()
    return f"{share}. {verdict}" if j.keeping else verdict


def _listed(bad: Sequence[str], moves: Sequence[Judged]) -> str:
    judged = sum(j.kept is not None for j in moves)
    if bad:
        return " ".join(bad)
    return f"{judged} of {len(moves)} moves were judged, and all of them kept it." if judged else "No move was judged."
