"""A review as a picture: for every move the share of legal moves that keep the result, as SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape

from dasan.solver.review import Judged, Review
from dasan.state import Phase

STEP = 14
"""Pixels a move."""
LEFT, RIGHT, TOP, HEIGHT, BOTTOM = 56, 24, 64, 200, 64

STYLE = """
svg{--paper:#fff;--ink:#1c2430;--dim:#5c6877;--line:#d5dbe3;--a:#0b6bcb;--b:#8a5a00;--bad:#c21f30}
@media(prefers-color-scheme:dark){
svg{--paper:#14181f;--ink:#e8ecf2;--dim:#a3afbe;--line:#343c48;--a:#6cb2ff;--b:#e0a83e;--bad:#ff7b86}}
svg{background:var(--paper);font:12px system-ui,sans-serif}
text{fill:var(--ink)} .dim{fill:var(--dim)} .line{stroke:var(--line)}
.a{stroke:var(--a);fill:var(--a)} .b{stroke:var(--b);fill:var(--b)} .open{fill:var(--paper)}
.stem,.maybe{stroke-width:2} .maybe{stroke-dasharray:2 3}
.bad{stroke:var(--bad);stroke-width:3;fill:none} .badly{fill:var(--bad);font-weight:600}
"""


def picture(
    review: Review,
    title: str = "",
    names: Sequence[str] | None = None,
    text: Callable[[Judged], str] = lambda j: str(j.move),
) -> str:
    """An SVG file: one stem for each move of the play, as high as the share; a hollow mark for a forced move.

    Circles are the bidder's side and squares the others (in games without sides, the seat that led first and the rest).
    A cross marks a move that did not keep the result, a dashed stem what was not proved, a gap what was not judged.
    """
    moves = [j for j in review.moves if j.phase in (Phase.CALL, Phase.PLAY)]
    names = names or [f"seat {seat}" for seat in range(review.hand.rules.players)]
    width = LEFT + STEP * max(len(moves), 24) + RIGHT
    height = TOP + HEIGHT + BOTTOM
    told = [f"Move {j.seq}, {names[j.seat]}: {text(j)}. {_words(j)}" for j in moves]
    bad = [words for words, j in zip(told, moves, strict=True) if j.kept is False]
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-labelledby="title desc">',
        f'<title id="title">{escape(title or "Share of legal moves that keep the result")}</title>',
        f'<desc id="desc">{escape("For each move, the share of legal moves that keep the result. " + _listed(bad))}</desc>',
        f"<style>{STYLE.strip()}</style>",
        f'<text x="{LEFT}" y="20" font-weight="600">{escape(title)}</text>',
        f'<text class="dim" x="{LEFT}" y="38">share of legal moves that keep the result, by move</text>',
        *_grid(width),
    ]
    first = True
    for i, (j, words) in enumerate(zip(moves, told, strict=True)):
        x = LEFT + STEP * i + STEP / 2
        out.append(f"<g><title>{escape(words)}</title>{''.join(_mark(review, j, x))}</g>")
        if j.kept is False:
            label = f"{j.seq}: {text(j)}" if first else str(j.seq)
            anchor = "end" if x > width / 2 else "start"
            out.append(f'<text class="badly" x="{x:g}" y="{TOP - 10}" text-anchor="{anchor}">{escape(label)}</text>')
            first = False
        if i % 5 == 0:
            out.append(f'<text class="dim" x="{x:g}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{j.seq}</text>')
    return "\n".join([*out, *_legend(review), "</svg>"]) + "\n"


def _grid(width: int) -> Iterator[str]:
    for percent in (0, 50, 100):
        y = _y(percent / 100)
        yield f'<line class="line" x1="{LEFT}" x2="{width - RIGHT}" y1="{y:g}" y2="{y:g}"/>'
        yield f'<text class="dim" x="{LEFT - 8}" y="{y + 4:g}" text-anchor="end">{percent} %</text>'


def _y(share: float) -> float:
    return TOP + HEIGHT * (1 - share)


def _mark(review: Review, j: Judged, x: float) -> Iterator[str]:
    if j.shares is None:
        return
    least, most = j.shares
    side = "a" if _ours(review, j.seat) else "b"
    y = _y(least)
    if not j.forced:
        yield f'<line class="{side} stem" x1="{x:g}" x2="{x:g}" y1="{_y(0):g}" y2="{y:g}"/>'
    if most > least:
        yield f'<line class="{side} maybe" x1="{x:g}" x2="{x:g}" y1="{y:g}" y2="{_y(most):g}"/>'
    head = f"{side} open" if j.forced else side
    if side == "a":
        yield f'<circle class="{head}" cx="{x:g}" cy="{y:g}" r="4"/>'
    else:
        yield f'<rect class="{head}" x="{x - 3.5:g}" y="{y - 3.5:g}" width="7" height="7"/>'
    if j.kept is False:
        yield f'<path class="bad" d="M{x - 6:g} {y - 6:g}l12 12m0-12l-12 12"/>'


def _ours(review: Review, seat: int) -> bool:
    hand = review.hand
    return seat in hand.partners if hand.bidder is not None else seat == hand.opener


def _legend(review: Review) -> Iterator[str]:
    ours = "the bidder's side" if review.hand.bidder is not None else "who led first"
    y = TOP + HEIGHT + 44
    yield f'<circle class="a" cx="{LEFT + 4}" cy="{y - 4}" r="4"/><text x="{LEFT + 14}" y="{y}">{ours}</text>'
    yield f'<rect class="b" x="{LEFT + 120}" y="{y - 8}" width="7" height="7"/><text x="{LEFT + 133}" y="{y}">others</text>'
    yield f'<path class="bad" d="M{LEFT + 185} {y - 10}l12 12m0-12l-12 12"/><text x="{LEFT + 203}" y="{y}">not kept</text>'
    yield f'<text class="dim" x="{LEFT + 262}" y="{y}">hollow: forced</text>'


def _words(j: Judged) -> str:
    if j.forced:
        return "Forced."
    if j.shares is None:
        return "Not judged."
    kept = {True: "It keeps the result.", False: "It does not keep the result.", None: "Not proved."}[j.kept]
    return f"{len(j.keeping)} of {j.choices} moves keep the result. {kept}"


def _listed(bad: Sequence[str]) -> str:
    return " ".join(bad) if bad else "No move that was judged failed to keep it."
