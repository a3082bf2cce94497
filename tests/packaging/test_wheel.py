"""The package for users: built from a clean copy on a machine without Node, and complete."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from hatch_build import CustomBuildHook

import dasan
from dasan.ruleset import clauses
from dasan.server.store.migrating import newest

pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[2]
STATIC = "src/dasan/server/static"
COMMIT = "0123456789ab"
"""The commit in the packages that are built here."""


def copy_tracked(target: Path) -> None:
    """Copy the files that a clone of the working tree would have."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target / name)


def without_node(folder: Path) -> dict[str, str]:
    """The environment, with a PATH on which there is a shell and nothing more."""
    folder.mkdir()
    shell = shutil.which("sh")
    assert shell is not None
    (folder / "sh").symlink_to(shell)
    return {**os.environ, "PATH": str(folder), "DASAN_COMMIT": COMMIT}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel built from it in turn; the page is the one that is built already, if any."""
    folder = tmp_path_factory.mktemp("package")
    copy_tracked(folder / "clone")
    if (ROOT / STATIC).is_dir():
        shutil.copytree(ROOT / STATIC, folder / "clone" / STATIC)
    return package(folder)


def package(folder: Path) -> Path:
    """Build the sdist from ``folder/clone``, and the wheel from the sdist, on a machine without Node; the folder of both."""
    clone, unpacked, out = folder / "clone", folder / "unpacked", folder / "out"
    out.mkdir()
    environment = without_node(folder / "bin")
    build(clone, "build_sdist", out, environment)
    with tarfile.open(next(out.glob("*.tar.gz"))) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.4 brought the filters
        archive.extractall(unpacked)
    build(next(unpacked.iterdir()), "build_wheel", out, environment)
    return out


def build(source: Path, hook: str, out: Path, environment: dict[str, str]) -> None:
    """Call one hook of the build backend, in its own process as installers do."""
    program = f"import sys; from hatchling import build; build.{hook}(sys.argv[1])"
    subprocess.run([sys.executable, "-c", program, str(out)], cwd=source, env=environment, check=True)


@pytest.fixture(scope="module")
def wheel(built: Path) -> zipfile.Path:
    """The root of the wheel."""
    return zipfile.Path(next(built.glob("*.whl")))


@pytest.mark.slow
def test_a_clean_copy_builds_the_browser_table(tmp_path: Path) -> None:
    """Like an installation from a clone, which `make test` itself does before it runs the tests."""
    copy_tracked(tmp_path / "clone")
    test_the_wheel_carries_the_browser_table(zipfile.Path(next(package(tmp_path).glob("*.whl"))))


def test_the_wheel_carries_the_browser_table(wheel: zipfile.Path) -> None:
    page = (wheel / "dasan/server/static/index.html").read_text(encoding="utf-8")
    assert "<script" in page
    assert any(path.name.endswith(".js") for path in (wheel / "dasan/server/static/assets").iterdir())


def test_the_wheel_carries_the_clauses(wheel: zipfile.Path) -> None:
    book = ROOT / "docs" / "rules"
    ours = {path.relative_to(book).as_posix(): path.read_text(encoding="utf-8") for path in book.rglob("*.md")}
    root = "dasan/clauses/"
    shipped = {
        name.removeprefix(root): (wheel / name).read_text(encoding="utf-8")
        for name in wheel.root.namelist()
        if name.startswith(root) and name.endswith(".md")
    }
    assert shipped == ours


def test_the_wheel_carries_the_puzzles(wheel: zipfile.Path) -> None:
    ours = (ROOT / "src" / "dasan" / "puzzles" / "puzzles.jsonl").read_text(encoding="utf-8")
    assert (wheel / "dasan/puzzles/puzzles.jsonl").read_text(encoding="utf-8") == ours


def test_the_wheel_carries_types_and_migrations(wheel: zipfile.Path) -> None:
    assert (wheel / "dasan/py.typed").exists()
    ours = {path.name for path in (ROOT / "src/dasan/server/migrations").rglob("*.py")}
    assert ours
    shipped = {Path(name).name for name in wheel.root.namelist() if name.startswith("dasan/server/migrations/")}
    assert ours <= shipped


def test_the_wheel_holds_nothing_else(wheel: zipfile.Path) -> None:
    names = wheel.root.namelist()
    assert {name.partition("/")[0] for name in names} == {
        "dasan",
        "dasan_program.py",
        next(n for n in names if ".dist-info" in n).split("/")[0],
    }
    assert not [name for name in names if "node_modules" in name or name.endswith((".pyc", ".map"))]


@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
def test_it_is_installed_from_its_file_and_names_its_commit(built: Path, tmp_path: Path, kind: str) -> None:
    """The wheel comes from the sdist, which already names the commit."""
    command = [
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "--target",
        str(tmp_path / "site"),
    ]
    file = str(next(built.glob(kind)))
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *command, file], check=True)
    printed = subprocess.run(
        [sys.executable, "-m", "dasan", "--version"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert printed.split() == ["dasan", dasan.__version__, "commit", f"{COMMIT},", "schema", newest()]


@pytest.mark.parametrize("git", [None, "exit 128"])
def test_without_an_answer_from_git_the_package_names_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, git: str | None
) -> None:
    """git is missing, or refuses a repository of somebody else; an earlier build has left its commit."""
    programs, file = tmp_path / "bin", tmp_path / "src/dasan/commit.txt"
    for folder in (programs, file.parent, tmp_path / ".git"):
        folder.mkdir(parents=True)
    file.write_text(f"{COMMIT}\n", encoding="ascii")
    if git is not None:
        (programs / "git").write_text(f"#!/bin/sh\n{git}\n", encoding="utf-8")
        (programs / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.delenv("DASAN_COMMIT", raising=False)
    CustomBuildHook(str(tmp_path), {}, None, None, str(tmp_path), "wheel").name_commit()  # type: ignore[arg-type]
    assert not file.exists()


def test_an_image_does_not_name_the_commit_of_an_earlier_build() -> None:
    """The image is built without the repository, so that a stored commit would be believed."""
    ignored = (ROOT / "deploy/Dockerfile.dockerignore").read_text(encoding="utf-8").split()
    assert {".git", "src/dasan/commit.txt"} <= set(ignored)


def test_an_installed_package_finds_its_clauses_without_the_repository(wheel: zipfile.Path, tmp_path: Path) -> None:
    wheel.root.extractall(tmp_path)
    program = "import dasan; from dasan.ruleset import clauses; print(dasan.__file__); print(len(clauses.load()))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    place, count = done.stdout.split()
    assert Path(place).is_relative_to(tmp_path)
    assert int(count) == len(clauses.load())
