"""Runs the Python examples of README.md and docs/ as tests; each file is one namespace, read from top to bottom.

And chooses how many processes `pytest -n auto` takes, and which tests they begin with.
"""

from __future__ import annotations

import faulthandler
import os
from contextlib import suppress
from doctest import NORMALIZE_WHITESPACE
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser


def _provide(namespace: dict[str, Any]) -> None:
    """Names that examples use: the checkout, and which extras are missing, so that the examples that need them are skipped."""
    namespace["repository"] = Path(__file__).parent
    namespace["no_torch"] = not find_spec("torch")
    namespace["no_data"] = not (find_spec("pyarrow") and find_spec("polars"))
    namespace["no_onnx"] = not (find_spec("onnx") and find_spec("onnxruntime"))
    namespace["no_envs"] = not all(find_spec(name) for name in ("gymnasium", "pettingzoo", "pyspiel"))


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(doctest_optionflags=NORMALIZE_WHITESPACE), SkipParser()],
    patterns=["README.md", "docs/*.md", "docs/**/*.md"],
    setup=_provide,
).pytest()

collect_ignore = ["src/dasan/server/migrations"]
"""Scripts that Alembic runs, not modules; and modules over packages that are not installed, whose tests say so."""
_OVER = {
    "envs/gymnasium.py": "gymnasium",
    "envs/openspiel": "pyspiel",
    "envs/pettingzoo.py": "pettingzoo",
    "remote/mcp_server.py": "mcp",
}
collect_ignore += [f"src/dasan/{module}" for module, package in _OVER.items() if not find_spec(package)]

SOURCE = Path(__file__).parent / "src"


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Import each module as programs do, before pytest does: pytest runs a module again that its package has just imported,
    and the second copy does not know what the first one registers.
    """
    if collector.path.suffix == ".py" and collector.path.is_relative_to(SOURCE):
        parts = collector.path.relative_to(SOURCE).with_suffix("").parts
        with suppress(Exception):  # pytest imports it again, and reports the error
            import_module(".".join(parts).removesuffix(".__init__"))


MOST_WORKERS = 16
"""More would not end sooner: each imports everything first, and one test takes as long as its share of the rest."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """One more than there are processors, because tests of servers and of the browser wait for a third of their time; in the
    small suite one for each processor. A worker takes up to 3 GB. PYTEST_XDIST_AUTO_NUM_WORKERS chooses another number.
    """
    if os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS"):
        return None
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores if "not full" in config.option.markexpr else cores + 1, MOST_WORKERS)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let every process begin with its share of the tests marked as long: one that is begun last keeps the others waiting.

    With `--dist worksteal` each of N processes starts with one N-th of the tests, in their order.
    """
    processes = getattr(config, "workerinput", {}).get("workercount", 1)
    long = [item for item in items if item.get_closest_marker("long")]
    short = iter([item for item in items if not item.get_closest_marker("long")])
    ordered: list[pytest.Item] = []
    for process in range(processes):
        share = (len(items) - len(ordered)) // (processes - process)
        begun = long[process::processes]
        ordered += [*begun, *islice(short, max(0, share - len(begun)))]
    items[:] = [*ordered, *short]


GRACE = 100
"""Seconds after its limit in which a test ends by itself."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    _end_process_later(item)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Again, because pytest forgets the end once a test has failed."""
    _end_process_later(item)


def pytest_runtest_logfinish() -> None:
    faulthandler.cancel_dump_traceback_later()


def _end_process_later(item: pytest.Item) -> None:
    """End the process and print every thread's stack if the test's limit does not end it: the limit is a signal, which does not
    reach machine code, and comes only once, also if the teardown waits after it. xdist then names the test.
    """
    own = item.get_closest_marker("timeout")
    limit = float(own.args[0] if own else item.config.getini("timeout"))
    faulthandler.dump_traceback_later(limit + GRACE, file=item.config.stash[fault_handler_stderr_fd_key], exit=True)
