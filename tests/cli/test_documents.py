"""The documents agree with the command line and the examples."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from dasan.cli import COMMANDS, app

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path for path in (ROOT / "examples").glob("*.py") if path.stem != "train_dmc")
"""All but the one that trains for minutes, which tests/vector/test_learning.py runs briefly."""
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


@pytest.mark.full
@pytest.mark.sampled(4, 4)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_run(example: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(example)], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip()


def test_the_help_of_the_example_that_trains_needs_no_pytorch() -> None:
    example = ROOT / "examples" / "train_dmc.py"
    program = "import runpy, sys; sys.modules['torch'] = None; sys.argv[1:] = ['--help']; runpy.run_path(%r, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", program % str(example)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "--minutes" in done.stdout


def test_the_commands_are_documented() -> None:
    listed = (ROOT / "docs/reference/command-line.md").read_text(encoding="utf-8")
    assert all(re.search(rf"^\| .*`dasan {name}\b", listed, re.MULTILINE) for name in COMMANDS)


def command_lines(text: str) -> Iterator[list[str]]:
    """The arguments of `dasan` in the console blocks of a document, and in its inline code if that names an option."""
    blocks = "".join(re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL)).replace("\\\n", " ")
    inline = re.findall(r"`(dasan [^`]*--[^`]*)`", text)
    for line in (*re.findall(r"^\$ (.*)$", blocks, re.MULTILINE), *inline):
        words = shlex.split(line, comments=True)
        programs = [i for i, word in enumerate(words) if word == "dasan" or word.endswith("/bin/dasan")]
        if programs:
            yield words[programs[0] + 1 :]


@cache
def program() -> Any:
    """The command line as Click has it."""
    return typer.main.get_command(app)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_commands_and_options_in_documents_exist(document: Path) -> None:
    for words in command_lines(document.read_text(encoding="utf-8")):
        if "COMMAND" in words or list(words) == ["--version"]:
            continue
        rest = ["play", *words] if not words or words[0].startswith("-") else list(words)
        command = program()
        while commands := getattr(command, "commands", None):
            assert rest[0] in commands, words
            command = commands[rest.pop(0)]
        options = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
        given = {word.partition("=")[0] for word in rest if re.match(r"--?[a-z]", word)}
        assert given <= options, words


def test_the_help_of_a_command_names_its_own_options() -> None:
    """`--describe` is that of `dasan bot-protocol`, which the help of `dasan bot-test` refers to."""
    strange = set()
    for name, command in commands_of(program()):
        own = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        texts = [command.help, *(getattr(parameter, "help", None) for parameter in command.params)]
        named = {option for text in texts for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", text or "")}
        strange |= {(name, option) for option in named - own}
    assert strange == {("bot-test", "--describe")}


@pytest.mark.parametrize(("former", "commands"), [("workers", ["puzzle", "deals"]), ("seconds", ["join", "bot-test"])])
def test_former_names_of_options_are_hidden(former: str, commands: list[str]) -> None:
    """`--processes` and `--move-seconds` had other names in two commands of 0.1.0."""
    hidden = [
        name for name, command in commands_of(program()) for one in command.params if one.hidden and one.name == former
    ]
    assert hidden == commands


def test_the_time_limit_for_a_move_has_one_name() -> None:
    named = {
        one.name
        for _, command in commands_of(program())
        for one in command.params
        if not one.hidden and "time limit for a move" in (getattr(one, "help", None) or "")
    }
    assert named == {"move_seconds"}


def commands_of(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every command by its words."""
    for word, one in getattr(command, "commands", {}).items():
        yield from commands_of(one, f"{name} {word}".strip())
    if not getattr(command, "commands", None):
        yield name, command


def test_documents_have_commands() -> None:
    assert sum(len(list(command_lines(document.read_text(encoding="utf-8")))) for document in DOCUMENTS) > 100


def links_of(text: str) -> list[str]:
    """The links and pictures of a document, but for those to other sites."""
    return re.findall(r"\]\(([^):\s]+)\)", text)


def headings(document: Path) -> set[str]:
    """The anchors of a document's headings."""
    titles = re.findall(r"^#+ (.*)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in titles}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(document: Path) -> None:
    for path, _, anchor in (link.partition("#") for link in links_of(document.read_text(encoding="utf-8"))):
        target = document.parent / path if path else document
        assert target.exists(), path
        assert not anchor or anchor in headings(target), f"{path}#{anchor}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_code_fits_into_the_boxes_of_the_site(document: Path) -> None:
    """The site shows 88 columns without a scroll bar. A line of a record cannot be broken."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", document.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if not line.lstrip("'").startswith('{"seq"')]
    assert [line for line in lines if len(line) > 88] == []


def test_the_contributor_guide_runs() -> None:
    tried = doctest.testfile(str(ROOT / "CONTRIBUTING.md"), module_relative=False, encoding="utf-8")
    assert tried.attempted
    assert not tried.failed


def test_the_first_page_leads_to_every_other() -> None:
    docs = ROOT / "docs"
    listed = (docs / "index.md").read_text(encoding="utf-8")
    rooms = [path for room in ("guide", "reference", "internals") for path in (docs / room).glob("*.md")]
    pages = {path.relative_to(docs).as_posix() for path in [*docs.glob("*.md"), *rooms]} - {"index.md"}
    assert {page for page in pages if f"({page})" not in listed} == set()
