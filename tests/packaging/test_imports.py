"""Imports go one way, without cycles, and importing the package is fast."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "dasan"

LAYERS: tuple[tuple[str, ...], ...] = tuple(
    tuple(layer.split())
    for layer in (
        "version errors reasons arguments cluster memory processes registry estimates stored_lines whole_file strict_json arrays",
        "cards",
        "ruleset",
        "games",
        "text.description",
        "play",
        "records.lines records.write",
        "play.state play.new_hand play.set_up play.sessions play.action_ids",
        "records",
        "text",
        "features",
        "backends",
        "worlds.stream worlds.layout worlds.knowledge worlds.states",
        "bots.protocol bots.explanation bots.facts bots.without_values bots.seeds bots.heuristics bots.random_bot "
        "bots.simple bots.thrifty bots.greedy",
        "kernels interpreted worlds",
        "vector",
        "networks",
        "solver.budget solver.proving solver.solution solver.open_hands",
        "bots",
        "solver arena",
        "envs learn puzzles review",
        "server tui remote",
        "bench",
        "cli __main__",
    )
)
"""A module may import from its own layer and from those before it: at the top of a file, inside a function, or for
types. A module belongs to the longest entry that its name begins with: `records.write` is below the rest of `records`.
Bots that need only a view are below the kernels, which compile the rule of `bots.thrifty`; those that use networks,
rollouts or the solver of open hands are above.
"""

HEAVY = ("numpy", "numba", "fastapi", "sqlalchemy", "pydantic", "textual", "rich", "typer", "asyncio")


class Import(NamedTuple):
    """An import of one module of the package by another, anywhere in the file, also one only for type checkers."""

    importer: str
    imported: str
    place: str


def name_of(path: Path) -> str:
    """The name of a module inside the package: `play.state`; a package has its folder's name, `games`."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FACADE = SOURCE / "__init__.py"
MODULES = {
    name_of(path): path for path in sorted(SOURCE.rglob("*.py")) if path != FACADE and "migrations" not in path.parts
}


def layer_of(module: str) -> int:
    """The layer of a module: of the entry that is the longest beginning of its name."""
    entries = [(entry, number) for number, layer in enumerate(LAYERS) for entry in layer]
    fitting = [(len(entry), number) for entry, number in entries if f"{module}.".startswith(f"{entry}.")]
    return max(fitting)[1] if fitting else -1


def targets(node: ast.AST, package: tuple[str, ...]) -> Iterator[str]:
    """The dotted names that an import statement names."""
    match node:
        case ast.Import(names=names):
            yield from (name.name for name in names)
        case ast.ImportFrom(module=module, names=names, level=dots):
            base = package[: len(package) - dots + 1] if dots else ()
            start = ".".join((*base, module) if module else base)
            yield from (f"{start}.{name.name}" for name in names)


def imports(module: str, path: Path) -> Iterator[Import]:
    relative = path.relative_to(SOURCE)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for target in targets(node, ("dasan", *relative.parent.parts)):
            first, _, name = target.partition(".")
            if first != "dasan":
                continue
            while name and name not in MODULES:
                name = name.rpartition(".")[0]
            if name != module:
                yield Import(module, name, f"{relative}:{getattr(node, 'lineno', 0)}")


@cache
def every_import() -> list[Import]:
    """All imports of the package; made by the tests, not by every worker that collects them."""
    return [statement for module, path in MODULES.items() for statement in imports(module, path)]


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """The sets of modules that reach each other, each in order of their names."""
    cycles = []
    reached: dict[str, set[str]] = {}
    for start in edges:
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            for following in edges.get(waiting.pop(), ()):
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)
        reached[start] = seen
    for module in edges:
        circle = sorted({module} | {other for other in reached[module] if module in reached.get(other, ())})
        if len(circle) > 1 and circle not in cycles:
            cycles.append(circle)
    return cycles


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == [["b", "c"]]


@pytest.mark.full
def test_no_modules_import_each_other() -> None:
    """Not indirectly, not inside a function, and not for types either."""
    edges: dict[str, set[str]] = {module: set() for module in MODULES}
    for one in every_import():
        if one.imported:
            edges[one.importer].add(one.imported)
    assert circles(edges) == []


def test_every_module_has_a_layer() -> None:
    assert [module for module in MODULES if layer_of(module) < 0] == []


@pytest.mark.full
def test_imports_go_one_way() -> None:
    assert [
        f"{one.place}: {one.importer} imports {one.imported}, which stands above it"
        for one in every_import()
        if one.imported and layer_of(one.imported) > layer_of(one.importer)
    ] == []


def test_the_engine_takes_no_names_from_the_facade() -> None:
    """`from dasan import X` in the engine would import the whole package."""
    assert [f.place for f in every_import() if not f.imported and layer_of(f.importer) < layer_of("kernels")] == []


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
