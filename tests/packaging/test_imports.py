"""Imports go one way, and importing the package costs next to nothing."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "dasan"

LAYERS: tuple[frozenset[str], ...] = tuple(
    frozenset(layer.split())
    for layer in (
        "version errors cluster",
        "cards",
        "ruleset games",
        "play records",
        "features",
        "backends",
        "kernels solver bots worlds",
        "vector arena learn envs server bench puzzles",
        "tui",
        "cli __main__",
    )
)
"""Each layer may import itself and those before it, whether at the top of a file or inside a function."""


HEAVY = ("numpy", "numba", "fastapi", "sqlalchemy", "pydantic", "textual", "rich", "typer", "asyncio")


class Import(NamedTuple):
    """One import of a part of the package by another. lazy: inside a function."""

    importer: str
    imported: str
    lazy: bool
    place: str


def level(part: str) -> int:
    """The layer of a module or subpackage."""
    return next(number for number, layer in enumerate(LAYERS) if part in layer)


def imports(path: Path) -> Iterator[Import]:
    """The imports of other parts of the package in a file, those for type checkers alone left out."""
    relative = path.relative_to(SOURCE)
    package = ("dasan", *relative.parent.parts)
    importer = relative.parts[0].removesuffix(".py")

    def walk(node: ast.AST, lazy: bool) -> Iterator[Import]:
        match node:
            case ast.If(test=ast.Name("TYPE_CHECKING"), orelse=otherwise):
                for statement in otherwise:
                    yield from walk(statement, lazy)
                return
            case ast.Import(names=names):
                targets = [name.name for name in names]
            case ast.ImportFrom(module=module, names=names, level=dots):
                base = package[: len(package) - dots + 1] if dots else ()
                start = ".".join((*base, module) if module else base)
                targets = [f"{start}.{name.name}" for name in names]
            case _:
                targets = []
        for target in targets:
            first, *rest = target.split(".")
            if first == "dasan" and rest and rest[0] != importer:
                yield Import(importer, rest[0], lazy, f"{relative}:{getattr(node, 'lineno', 0)}")
        inside = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            yield from walk(child, inside)

    yield from walk(ast.parse(path.read_text(encoding="utf-8")), lazy=False)


PARTS = sorted({path.relative_to(SOURCE).parts[0].removesuffix(".py") for path in SOURCE.rglob("*.py")} - {"__init__"})
IMPORTS = [found for path in sorted(SOURCE.rglob("*.py")) if path != SOURCE / "__init__.py" for found in imports(path)]


@pytest.mark.parametrize("part", PARTS)
def test_every_part_has_its_layer(part: str) -> None:
    assert sum(part in layer for layer in LAYERS) == 1


def test_imports_go_one_way() -> None:
    assert [
        f"{found.place}: {found.importer} imports {found.imported}, which stands above it"
        for found in IMPORTS
        if found.imported in PARTS and level(found.imported) > level(found.importer)
    ] == []


def test_no_part_below_the_interfaces_takes_names_from_the_facade() -> None:
    """`from dasan import X` in the engine would import the whole package, whichever layer asks."""
    assert [
        found.place for found in IMPORTS if found.imported not in PARTS and level(found.importer) < level("kernels")
    ] == []


def loaded(statement: str) -> set[str]:
    """The top-level modules that a fresh interpreter has after a statement."""
    program = f"{statement}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    return set(
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    )


@pytest.mark.parametrize(
    "statement",
    [
        "import dasan",
        "import dasan; dasan.rules('big-two')",
        "import dasan; dasan.deal(dasan.rules('winner'), seed=7).legal_moves()",
    ],
)
def test_importing_the_engine_loads_nothing_heavy(statement: str) -> None:
    assert loaded(statement).isdisjoint(HEAVY)


def test_the_command_line_starts_without_the_server_and_the_compiler() -> None:
    assert loaded("import dasan.cli").isdisjoint({"fastapi", "numba", "numpy", "sqlalchemy", "textual"})
