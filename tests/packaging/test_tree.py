"""The contents of the files under version control."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import dasan

ROOT = Path(__file__).parents[2]

FORBIDDEN = {
    "a path of one machine": re.compile(r"/(?:home/\w+|Users/\w+|root|work)/|/tmp/(?!$)\w|[A-Z]:\\\\Users"),
    "the address of a package registry": re.compile(r"registry\.npmjs\.org|files\.pythonhosted\.org|pypi\.org/simple"),
}


def texts() -> Iterator[tuple[str, str]]:
    """Name and text of each file that git knows, except this one, which spells what it forbids."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        if path == Path(__file__) or not path.is_file():
            continue
        content = path.read_bytes()
        if b"\0" not in content:
            yield name, content.decode("utf-8")


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_names(what: str) -> None:
    assert [
        f"{name}:{number}: {line.strip()[:120]}"
        for name, text in texts()
        for number, line in enumerate(text.splitlines(), start=1)
        if FORBIDDEN[what].search(line)
    ] == []


def test_the_installed_version_is_the_one_written_down() -> None:
    assert version("dasan") == dasan.__version__


LOCKED = {
    "play": [],
    "test": ["test"],
    "dev": ["dev", "test"],
    "host": ["postgres"],
    "cluster": ["cluster", "data"],
    "envs": ["bench", "data", "envs", "mcp", "onnx"],
    "gpu": ["gpu"],
    "train": ["train"],
    "site": ["docs"],
}
"""The extras in each file of requirements/."""


@pytest.mark.parametrize("name", LOCKED)
def test_every_dependency_is_locked_with_its_hashes(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = sum((extras[extra] for extra in LOCKED[name]), project["dependencies"])
    pins = re.split(r"\n(?=\S)", (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8"))
    pinned = {plain(pin.partition("==")[0]): pin for pin in pins if not pin.startswith("#")}
    assert {plain(re.split(r"[\[<>=]", need)[0]) for need in wanted} <= pinned.keys(), "run make lock"
    assert [pin for pin in pinned.values() if "==" not in pin or "--hash=sha256:" not in pin] == []


def test_every_extra_is_in_a_lock() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {extra for extras in LOCKED.values() for extra in extras} == project["optional-dependencies"].keys()


def plain(name: str) -> str:
    """A package's name as package indexes normalise it."""
    return re.sub(r"[-_.]+", "-", name).lower()


REFERENCE = re.findall(
    r"^::: (\S+)$", (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8"), re.MULTILINE
)
WRAPPERS = [name for name in REFERENCE if name.startswith("dasan.envs.")]
"""Functions that need a package of the extra `envs`."""


@pytest.mark.full
@pytest.mark.parametrize("name", WRAPPERS)
def test_the_reference_names_what_wraps_environments(name: str) -> None:
    try:
        find(name)
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("dasan"):
            raise
        pytest.skip(str(missing))


def test_the_reference_has_every_public_name() -> None:
    documented = {find(name) for name in REFERENCE if name not in WRAPPERS}
    values = ("GAMES", "PRESETS", "THEMES", "Moves", "Output", "__version__")  # not functions or classes
    public = [
        (f"{module.__name__}.{name}", getattr(module, name))
        for module in (dasan, dasan.vector, dasan.worlds, dasan.puzzles)
        for name in module.__all__
    ]
    assert [name for name, thing in public if name.rpartition(".")[2] not in values and thing not in documented] == []
    page = (ROOT / "docs/reference/api.md").read_text(encoding="utf-8")
    assert [name for name, _ in public if name.rpartition(".")[2] in values and f"`{name}`" not in page] == []


PUBLIC_MODULES = ("dasan", "dasan.envs", "dasan.puzzles", "dasan.vector", "dasan.worlds")


@pytest.mark.parametrize("name", PUBLIC_MODULES[1:])
def test_public_modules_are_attributes_of_the_package(name: str) -> None:
    """Each in a fresh interpreter, in which nobody has imported it."""
    last = name.removeprefix("dasan.")
    code = f"import dasan; assert {last!r} in dir(dasan) and dasan.{last}.__name__ == {name!r}"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_public_member_has_a_docstring() -> None:
    """Modules, functions, classes, and what can be reached from a class by name."""
    missing: list[str] = []
    for module in map(import_module, PUBLIC_MODULES):
        missing += [module.__name__] * (not module.__doc__)
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if not (inspect.isclass(thing) or inspect.isfunction(thing)) or not thing.__module__.startswith("dasan"):
                continue
            written = thing.__doc__ and not thing.__doc__.startswith(f"{thing.__name__}(")  # as dataclasses write it
            missing += [f"{module.__name__}.{name}"] * (not written)
            if inspect.isclass(thing):
                missing += [f"{module.__name__}.{name}.{member}" for member in undocumented(thing)]
    assert missing == []


def undocumented(thing: type) -> Iterator[str]:
    """The public methods and properties of a class of ours, inherited ones too, that have no docstring."""
    for member in dir(thing):
        attribute = inspect.getattr_static(thing, member)
        function = (
            getattr(attribute, "fget", None)
            or getattr(attribute, "func", None)
            or getattr(attribute, "__func__", attribute)
        )
        ours = inspect.isfunction(function) and function.__module__.startswith("dasan")
        if ours and not member.startswith("_") and not inspect.getdoc(getattr(thing, member)):
            yield member


def find(name: str) -> object:
    """The function or class with this full name; a function can have the name of the module that it hides."""
    module, _, last = name.rpartition(".")
    return getattr(sys.modules.get(module) or import_module(module), last)


def test_the_page_of_the_server_names_every_module() -> None:
    page = (ROOT / "docs" / "internals" / "server.md").read_text(encoding="utf-8")
    named = {
        name for row in re.findall(r"^\| (.*?`.+?) \|", page, re.MULTILINE) for name in re.findall(r"`([a-z_]+)/?`", row)
    }
    folder = ROOT / "src" / "dasan" / "server"
    rooms = [folder, *(folder / name for name in ["tables", "connections", "people", "study", "workers", "operations"])]
    modules = {
        path.stem
        for room in rooms
        for path in room.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    assert modules - {"__init__"} <= named


MOST_COLUMNS = 140


def test_documents_have_short_lines() -> None:
    """All but tables, the chapters of rules, in which a clause is one line, and Chinese, in which a new line is a gap."""
    assert [
        f"{name}:{number}"
        for name, text in texts()
        if name.endswith(".md") and not {"rules", "zh-Hans", "zh-Hant"} & {*Path(name).with_suffix("").parts}
        for number, line in enumerate(text.splitlines(), start=1)
        if len(line) > MOST_COLUMNS and not line.startswith("|")
    ] == []
