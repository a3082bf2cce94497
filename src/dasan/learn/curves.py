"""A training run's curve: a CSV file with a row for each epoch, and its plot."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path

from dasan.whole_file import whole_file

COLUMNS = ("epoch", "hands", "moves", "decisions", "seconds", "loss")
WIDTH, HEIGHT, EDGE = 640, 240, 48
COLOURS = ("#0b6bcb", "#a86400", "#1c7a3e", "#c21f30")


def add_row(file: Path, row: Mapping[str, object], opponents: Sequence[str]) -> None:
    """Append a row, so that a crash leaves the file with it or without it; a new file gets a header."""
    _write(file, [*read(file), row], opponents)


def _write(file: Path, rows: Sequence[Mapping[str, object]], opponents: Sequence[str]) -> None:
    names, text = (*COLUMNS, *opponents), StringIO()
    writer = csv.DictWriter(text, names)
    writer.writeheader()
    writer.writerows({name: row.get(name, "") for name in names} for row in rows)
    with whole_file(file) as stream:
        stream.write(text.getvalue().encode())


def read(file: Path) -> list[dict[str, str]]:
    """All rows: a number, or nothing, in every column. ValueError: the file has something else."""
    if not file.exists():
        return []
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:  # some programs write a byte order mark
            rows = list(csv.DictReader(stream))
        for row in rows:
            int(row["epoch"])
            for value in row.values():
                float(value or 0)
    except (KeyError, TypeError, ValueError, csv.Error) as error:
        raise ValueError(f"{file} is not a curve of a training run") from error
    return rows


def cut(file: Path, epoch: int, opponents: Sequence[str]) -> None:
    """Delete rows after `epoch`, which a resumed run writes again."""
    _write(file, [row for row in read(file) if int(row["epoch"]) <= epoch], opponents)


def picture(rows: Sequence[Mapping[str, str]], opponents: Sequence[str]) -> str:
    """The earnings a hand against each of the opponents over the epochs, as SVG."""
    points = {name: [(int(row["epoch"]), float(row[name])) for row in rows if row.get(name)] for name in opponents}
    values = [value for line in points.values() for _, value in line] or [0.0]
    low, high = min(0.0, *values), max(0.1, *values)
    last = max((int(row["epoch"]) for row in rows), default=0)

    def at(epoch: int, value: float) -> str:
        x = EDGE + (WIDTH - 2 * EDGE) * epoch / max(last, 1)
        y = HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * (value - low) / (high - low)
        return f"{x:.1f},{y:.1f}"

    lines = [
        f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{" ".join(at(*p) for p in line)}"/>'
        f'<text x="{WIDTH - EDGE + 4}" y="{20 + 16 * k}" fill="{colour}">{name}</text>'
        for k, (colour, (name, line)) in enumerate(zip(COLOURS, points.items(), strict=False))
    ]
    zero = at(0, 0.0).split(",")[1]
    axes = (
        f'<line x1="{EDGE}" x2="{WIDTH - EDGE}" y1="{zero}" y2="{zero}" stroke="#888"/>'
        f'<text x="4" y="{EDGE}">{high:+.2f}</text><text x="4" y="{HEIGHT - EDGE}">{low:+.2f}</text>'
        f'<text x="{EDGE}" y="{HEIGHT - 12}">epochs 0 to {last}; earnings a hand, alone among each</text>'
    )
    style = "<style>text{font:12px system-ui,sans-serif}</style>"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + 60} {HEIGHT}">'
    return f"{head}{style}{axes}{''.join(lines)}</svg>\n"
