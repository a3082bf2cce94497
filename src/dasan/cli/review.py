"""`dasan review`: judge recorded hands move by move."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dasan.cli.files import AsJson, RecordFile, shown
from dasan.cli.group import CannotRun, writing
from dasan.cli.output import say, visible
from dasan.cli.progress import notice, progress_bar
from dasan.cli.recorded import HandNumber, RecordNumber, place_in, print_found, read_hands
from dasan.cli.solve import Memory, ScopeChoice, Seconds, Threads

if TYPE_CHECKING:
    from dasan.play.state import State
    from dasan.review.expected import Known
    from dasan.review.report import Report

STYLES = {"keeps": "green", "loses": "bold red", "forced": "dim", "unproved": "yellow", "unjudged": "dim", "bid": ""}


class Format(StrEnum):
    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


def review(
    file: RecordFile,
    number: RecordNumber = None,
    hand: HandNumber = None,
    seconds: Seconds = 2,
    memory: Memory = 256,
    threads: Threads = None,
    scope: ScopeChoice = None,
    format_: Annotated[
        Format, typer.Option("--format", help="The output format; text is coloured on a terminal.")
    ] = Format.TEXT,
    picture: Annotated[Path | None, typer.Option(help="Also draw the review into this SVG file.")] = None,
    known: Annotated[
        bool,
        typer.Option(
            "--known", help="Also judge moves by their players' information: means over deals consistent with the view."
        ),
    ] = False,
    worlds: Annotated[int, typer.Option(min=2, max=10_000, help="With --known: deals at each decision.")] = 96,
    as_json: AsJson = False,
) -> None:
    """Judge every move of recorded hands: did it keep the result of best play, and which moves would have?"""
    from dasan.processes import processors
    from dasan.review.best_play import review as judge
    from dasan.review.chart import picture as drawn
    from dasan.review.report import Report
    from dasan.text.moves import move_words

    if picture is not None and picture.suffix.lower() != ".svg":
        raise CannotRun(f"a picture is an SVG file: name it like {Path(picture.name or 'hand').with_suffix('.svg')}")
    if picture is not None and not picture.parent.is_dir():
        raise CannotRun(f"cannot write {picture}: there is no folder {picture.parent}")
    states = read_hands(file, number, hand)
    if picture is not None and len(states) > 1:
        raise CannotRun(f"a picture shows one hand: {shown(file)} has {len(states)} records, and --number picks one")
    reports: list[Report] = []
    for place, state in states.items():
        with progress_bar() as show:
            try:
                judged = judge(
                    state,
                    seconds=seconds,
                    memory_mb=memory,
                    threads=threads or processors(),
                    scope=None if scope is None else scope.value,
                    progress=lambda done, of: show("moves", done, of),
                    notice=notice,
                )
            except ValueError as error:
                raise CannotRun(f"{place_in(file, place)}: {error}") from error
        could = _known(state, worlds) if known else {}
        report = Report(judged, f"Record {place}. " if len(states) > 1 else "", could)
        if picture is not None:
            svg = drawn(judged, report.title, report.names, lambda j: move_words(j.move))
            with writing(picture):
                picture.write_text(svg, encoding="utf-8")
        reports.append(report)
        if as_json or format_ is Format.JSON:
            continue
        if len(reports) > 1:
            say()
        if format_ is Format.MARKDOWN:
            say(_markdown(report))
        else:
            _print(report)
    if as_json or format_ is Format.JSON:
        print_found([_json(report) for report in reports])


def _known(state: State, worlds: int) -> dict[int, Known]:
    """Every move judged by its player's information, by number of the event."""
    from dasan.records.retrace import moves_of
    from dasan.review.expected import known

    of = sum(1 for _ in moves_of(state))
    out: dict[int, Known] = {}
    with progress_bar() as show:
        for one in known(state, worlds=worlds):
            out[one.seq] = one
            show("what could be known", len(out), of)
    return out


def _json(report: Report) -> dict[str, Any]:
    document = report.review.to_json()
    return {**document, "known": [one.to_json() for one in report.known.values()]} if report.known else document


def _print(report: Report) -> None:
    """Print the report, in colour on a terminal unless NO_COLOR is set."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    console.print(Text(visible(report.title), "bold"))
    rows = report.rows
    width = max((len(row.who) for row in rows), default=0)
    for row in rows:
        line = f"{row.number:>4}  {row.who:{width}}  {row.move:24} "
        note = f"; {row.known}" if row.known else ""
        style = "yellow" if "WORSE" in note else "dim"
        console.print(Text.assemble(visible(line), (visible(row.words), STYLES[row.verdict]), (visible(note), style)))
    if rows and report.sides:
        console.print(Text(f"* {report.side}", "dim"))
    console.print()
    for sentence in report.summary:
        console.print(Text(visible(sentence)))


def _markdown(report: Report) -> str:
    lines = [f"# {_cell(report.title)}", "", *(f"- {_cell(sentence)}" for sentence in report.summary), ""]
    if not report.rows:
        return "\n".join(lines)
    lines += ["| move | seat | play | |", "|---:|---|---|---|"]
    for row in report.rows:
        words = f"**{_cell(row.words)}**" if row.verdict == "loses" else _cell(row.words)
        note = f"; {_cell(row.known)}" if row.known else ""
        lines.append(f"| {row.number} | {_cell(row.who)} | {row.move} | {words}{note} |")
    if report.sides:
        lines += ["", f"\\* {report.side}"]
    return "\n".join(lines)


def _cell(text: str) -> str:
    """Text with the special characters of Markdown and HTML escaped."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#~" else "&amp;" if c == "&" else c for c in text)
