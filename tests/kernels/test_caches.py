"""The cache of machine code: reused, never stale, and never fatal."""

from __future__ import annotations

import gc
import importlib
import os
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from subprocess import PIPE
from types import FunctionType
from typing import Any

import numba
import pytest
from numba.core.compiler import Flags

import dasan
import dasan.kernels
from dasan.backends import Purpose, choose
from dasan.kernels.runtime import table_cache
from dasan.kernels.runtime.compiled import _Flags, compiled

pytestmark = pytest.mark.full

MODULE = """
import sys
from typing import NamedTuple
import numpy as np
from dasan.kernels.runtime import code_cache
from dasan.kernels.runtime.compiled import compiled
from helper import FACTOR, helped

code_cache.MOST_FOLDERS = 3

class {name}(NamedTuple):
    words: np.ndarray

@compiled
def work(x):
    return helped(x.words[0]) * FACTOR

value = int(work({name}(np.array([5]))))
counts = [sum(made.values()) for made in (work.stats.cache_hits, work.stats.cache_misses)]
sys.stdout.write(" ".join(map(str, (value, *counts))) + chr(10))  # in one piece, for others write into the same pipe
"""
HELPER = """
from dasan.kernels.runtime.compiled import compiled
FACTOR = {factor}

@compiled
def helped(n):
    return n + 1
"""

PARTS = """
from dasan.kernels.runtime.compiled import apart, lean, woven

@apart
def low(n):
    return n + 1

@apart
def high(n):
    return 2 * low(n)

@woven
def both(n):
    return high(n) + low(n)

@lean
def first(n):
    return high(n)

@lean
def second(n):
    return both(n) + high(n)
"""

FORKS = """
import os, sys
import dasan.kernels.runtime.compiled
sys.dont_write_bytecode = True
for line in sys.stdin:
    children = []
    for _ in range(int(line)):
        children.append(os.fork())
        if not children[-1]:
            try:
                import kernel_of_test
            except BaseException as error:
                print(f"0 {error!r}".replace(chr(10), " "))
            sys.stdout.flush()
            os._exit(0)
    for child in children:
        os.waitpid(child, 0)
    print(flush=True)
"""
"""Imports Numba once; for each number that it reads, that many new processes import the module at once, with nothing
compiled in memory.
"""


@pytest.fixture
def run(tmp_path: Path) -> Iterator[object]:
    """Write the modules and import them in new processes: for each the value, and the numbers of cache hits and misses."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (str(tmp_path), environment.get("PYTHONPATH"))))
    with subprocess.Popen(
        [sys.executable, "-c", FORKS], env=environment, cwd=tmp_path, stdin=PIPE, stdout=PIPE, text=True
    ) as process:
        asks, answers = process.stdin, process.stdout
        assert asks is not None
        assert answers is not None

        def call(name: str = "Old", factor: int = 2, processes: int = 1) -> tuple[int, ...]:
            (tmp_path / "kernel_of_test.py").write_text(MODULE.format(name=name))
            (tmp_path / "helper.py").write_text(HELPER.format(factor=factor))
            asks.write(f"{processes}\n")
            asks.flush()
            lines = sorted(answers.readline() for _ in range(processes))
            answers.readline()
            assert not [line for line in lines if line.startswith("0 ")]
            return tuple(int(number) for line in lines for number in line.split())

        try:
            yield call
            process.communicate(timeout=60)
        finally:
            process.kill()  # the end of the with block waits without a limit
    assert process.returncode == 0


def folders(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache").glob("kernel_of_test-*"))


def test_code_is_found_again_and_never_out_of_date(run: object, tmp_path: Path) -> None:
    assert callable(run)
    assert run() == (12, 0, 1)
    assert run() == (12, 1, 0)
    assert run(name="New") == (12, 0, 1)  # the old index names a class that no longer exists
    assert run(name="New", factor=3) == (18, 0, 1)  # a number that another module defines
    assert len(folders(tmp_path)) == 3
    assert run() == (12, 1, 0)  # used last, so the next state takes the place of another
    assert run(name="Newest") == (12, 0, 1)
    assert len(folders(tmp_path)) == 3
    assert run() == (12, 1, 0)


@pytest.mark.skipif(os.name == "nt", reason="this system has no file locks")
def test_processes_that_need_the_same_code_at_once_compile_it_once(run: object) -> None:
    assert callable(run)
    assert run(processes=3) == (12, 0, 1, 12, 1, 0, 12, 1, 0)


def test_unreadable_caches_recompile_and_unwritable_ones_are_skipped(run: object, tmp_path: Path) -> None:
    assert callable(run)
    assert run() == (12, 0, 1)
    (folder,) = folders(tmp_path)
    (index,) = folder.glob("*.nbi")
    good = index.read_bytes()
    index.write_bytes(good.replace(b"Old", b"Odd"))
    assert run() == (12, 0, 1)
    assert run() == (12, 1, 0)
    (code,) = folder.glob("*.nbc")
    code.write_bytes(b"nothing")
    assert run() == (12, 0, 1)
    for path in sorted(tmp_path.glob("cache/*/*")):
        path.unlink()
    for path in tmp_path.glob("cache/*"):
        path.rmdir()
    (tmp_path / "cache").rmdir()
    (tmp_path / "cache").write_text("no folder")
    assert run() == (12, 0, 1)


def test_code_that_calls_code_of_another_process_brings_it_along(tmp_path: Path) -> None:
    """What `first` calls is compiled with it, and found again by `second`, which is then loaded alone."""
    (tmp_path / "kernel_of_parts.py").write_text(PARTS)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}

    def called(name: str) -> str:
        program = f"from kernel_of_parts import {name} as f, high; print(f(5), *(len(k.stats.cache_misses) for k in (f, high)))"
        return subprocess.check_output([sys.executable, "-c", program], env=environment, text=True).strip()

    assert called("first") == "12 1 1"
    assert called("second") == "30 1 0"
    assert called("second") == "30 0 0"


def test_code_for_other_types_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "kernel_of_types.py").write_text(
        "from dasan.kernels.runtime.compiled import compiled\n\n@compiled\ndef half(x):\n    return x / 2\n"
    )

    def halves() -> tuple[tuple[float, float], int]:
        sys.modules.pop("kernel_of_types", None)
        half = importlib.import_module("kernel_of_types").half
        return (half(3), half(1.5)), sum(half.stats.cache_hits.values())

    assert halves() == ((1.5, 0.75), 0)
    assert halves() == ((1.5, 0.75), 2)
    one, other = sorted((tmp_path / "cache").glob("kernel_of_types-*/*.nbc"))
    of_one = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(of_one)
    assert halves() == ((1.5, 0.75), 0)
    sys.modules.pop("kernel_of_types")


def test_tables_are_found_again_unless_the_rules_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_cache, "root", lambda: tmp_path / "cache")
    monkeypatch.setattr(table_cache, "LEAST", -1)
    monkeypatch.setattr(table_cache, "MOST_TABLES", 2)
    rules = [dasan.rules("big-two"), dasan.rules("big-two", triples=True)]
    made = []

    def kept(which: int, session: bool) -> int:
        def make() -> int:
            made.append((which, session))
            return 2 * which + session

        value: int = table_cache.load_or_make(rules[which], session, make)
        return value

    assert [kept(which, session) for which in (0, 1, 0) for session in (False, True)] == [0, 1, 2, 3, 0, 1]
    assert len(made) == 6  # the cache holds only two
    assert [kept(0, session) for session in (False, True, False)] == [0, 1, 0]
    assert len(made) == 6
    for path in (tmp_path / "cache").iterdir():
        path.write_bytes(b"nothing")
    assert kept(0, True) == 1
    assert len(made) == 7
    monkeypatch.setattr(table_cache, "LEAST", 60)
    assert (kept(1, True), kept(1, True), len(made)) == (3, 3, 9)


def test_tables_of_rules_with_equal_digests_are_kept_apart() -> None:
    rules = dasan.rules("big-two")
    other = replace(rules, settings=())
    assert (other.digest, repr(other)) == (rules.digest, repr(rules))
    assert table_cache._digest(other, False) != table_cache._digest(rules, False)


def test_environments_with_tables_from_disk_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_cache, "root", lambda: tmp_path)
    monkeypatch.setattr(table_cache, "LEAST", -1)
    for preset in dasan.PRESETS:
        made, loaded = (dasan.vector.make(preset, 4, seed=1, session=True) for _ in range(2))
        for _ in range(100):
            for env in (made, loaded):
                env.step(env.sample())
            assert (made.mask == loaded.mask).all()
            assert made.obs is not None
            assert loaded.obs is not None
            assert (made.obs == loaded.obs).all()
        assert made.num_actions == loaded.num_actions == loaded.ids.count
    compiled = [name for name in dasan.PRESETS if choose(dasan.rules(name), Purpose.ENVIRONMENTS).compiled]
    assert len(list(tmp_path.iterdir())) == len(compiled) >= 12


def test_a_function_that_closes_over_others_is_made_once_in_a_module() -> None:
    """The cache's key is module, name and line: two closures of one definition would share an entry."""
    made: dict[tuple[str, str, int], set[int]] = {}
    for info in pkgutil.walk_packages(dasan.kernels.__path__, "dasan.kernels."):
        if ".cuda" in info.name:
            continue
        for value in vars(importlib.import_module(info.name)).values():
            function = getattr(value, "py_func", None)
            if isinstance(function, FunctionType):
                code = function.__code__
                made.setdefault((function.__module__, code.co_name, code.co_firstlineno), set()).add(id(value))
    assert len(made) > 200
    assert [place for place, several in made.items() if len(several) > 1] == []


def test_options_compare_as_numbas_do() -> None:
    plain: Any = Flags  # Numba has no types
    theirs = plain()
    theirs.release_gil = True
    ours: Any = _Flags
    assert ours(theirs) == theirs != plain()
    assert ours(theirs).values() == theirs.values()


def test_the_garbage_collector_works_again_after_a_compilation() -> None:
    @compiled
    def twice(x: int) -> int:
        return x + x

    with suppress(numba.TypingError):
        twice({})  # type: ignore[arg-type]
    assert gc.isenabled()
    assert twice(1) == 2
    assert gc.isenabled()
