"""Tables of figures in documentation pages: a new measurement replaces the old row."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Figures:
    """A section with a Markdown table. columns: the headings; the first `keys` of them identify a measurement."""

    title: str
    intro: str
    columns: tuple[str, ...]
    keys: int

    def head(self) -> str:
        """The table's first two lines."""
        return f"{row(self.columns)}\n{'|---' * len(self.columns)}|"

    def section(self, rows: list[str]) -> str:
        """The text under the section's title."""
        return "\n".join([self.intro, "", self.head(), *rows, ""])

    def put(self, file: Path, new: str, *, before: str = "") -> None:
        """Write a row into the page `file`, replacing the row of the same measurement if there is one.

        before: a new section is added before the section with this title; "": at the end.
        """
        parts = sections(file.read_text(encoding="utf-8"))
        rows = [line for line in parts.get(self.title, "").splitlines() if line.startswith("|")][2:]
        keys = [cells(one)[: self.keys] for one in rows]
        mine = cells(new)[: self.keys]
        if mine in keys:
            rows[keys.index(mine)] = new
        else:
            rows.append(new)
        text = self.section(rows)
        if self.title in parts or before not in parts:
            parts[self.title] = text
        else:
            parts = {
                name: part
                for old, section in parts.items()
                for name, part in ([(self.title, text)] if old == before else []) + [(old, section)]
            }
        file.write_text(page(parts), encoding="utf-8")


def row(cells: tuple[str, ...]) -> str:
    """A row in Markdown.

    >>> row(("one", "two"))
    '| one | two |'
    """
    return f"| {' | '.join(cells)} |"


def cells(row: str) -> list[str]:
    """The cells of a row in Markdown."""
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def sections(page: str) -> dict[str, str]:
    r"""The text under each second-level heading of a page, by title; under "" the text before the first.

    >>> sections("# Page\n\n## One\n\n1\n\n## Two\n\n2\n")
    {'': '# Page\n', 'One': '1\n', 'Two': '2\n'}
    """
    first, *others = f"\n{page}".split("\n## ")
    parts = [other.partition("\n")[::2] for other in others]
    return {"": f"{first.strip()}\n", **{title.strip(): f"{text.strip()}\n" for title, text in parts}}


def page(sections: dict[str, str]) -> str:
    """The page of these sections."""
    return "\n".join(text if not title else f"## {title}\n\n{text}" for title, text in sections.items())
