"""Debian's Firefox, driven by WebDriver BiDi: Playwright needs its own Firefox, or a newer one than Debian's."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

SECONDS = 120.0
"""The time limit in seconds for anything on a busy machine."""
PREFERENCES = {
    "ui.prefersReducedMotion": 1,
    "intl.accept_languages": "fr-FR",
    "datareporting.policy.dataSubmissionEnabled": False,
}


def program() -> str:
    """The path of Firefox: FIREFOX, or Debian's. Without one the test is skipped with a reason."""
    executable = shutil.which(os.environ.get("FIREFOX") or "firefox-esr") or shutil.which("firefox")
    if executable is None:
        pytest.skip("no Firefox to play in: make firefox installs Debian's")
    assert executable is not None
    return executable


@dataclass
class Tab:
    """One tab of a running Firefox; errors: those of its pages."""

    socket: ClientConnection
    context: str = ""
    errors: list[str] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def command(self, method: str, **params: object) -> Any:
        """Send a command of WebDriver BiDi and wait for its result."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv(timeout=SECONDS))
            if message.get("method") == "log.entryAdded" and message["params"].get("type") == "javascript":
                self.errors.append(str(message["params"]["text"]))
            elif message.get("id") == number:
                assert message["type"] == "success", message
                return message["result"]

    def goto(self, address: str) -> None:
        self.command("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression: a string, a number, a boolean, or None."""
        result = self.command(
            "script.evaluate", expression=expression, target={"context": self.context}, awaitPromise=True
        )
        assert result["type"] == "success", result
        return result["result"].get("value")

    def wait(self, expression: str, meanwhile: str = "") -> None:
        """Wait until the expression is true. meanwhile: a function to call again and again until then."""
        deadline = time.monotonic() + SECONDS
        while not self.evaluate(f"Boolean({expression})"):
            assert time.monotonic() < deadline, f"never: {expression}"
            if meanwhile:
                self.evaluate(f"({meanwhile})()")
            time.sleep(0.05)

    def press(self, key: str) -> None:
        """Press and release a key."""
        strokes = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        self.command(
            "input.performActions", context=self.context, actions=[{"type": "key", "id": "keys", "actions": strokes}]
        )


@contextmanager
def firefox(profile: Path) -> Iterator[Tab]:
    """A headless Firefox with one tab, and a French reader."""
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()]
    (profile / "user.js").write_text("".join(lines), encoding="utf-8")
    command = [program(), "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port=0"]
    environment = {**os.environ, "HOME": str(profile), "MOZ_CRASHREPORTER_DISABLE": "1"}
    # Into a file: a pipe that nothing reads any more would block Firefox once it is full.
    log = profile / "stderr.txt"
    with (
        log.open("w") as file,
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=file, env=environment) as process,
    ):
        try:
            with connect(f"{_address(process, log)}/session", max_size=None, open_timeout=SECONDS) as socket:
                tab = Tab(socket)
                tab.command("session.new", capabilities={})
                tab.context = tab.command("browsingContext.getTree")["contexts"][0]["context"]
                tab.command("session.subscribe", events=["log.entryAdded"])
                tab.command("browsingContext.setViewport", context=tab.context, viewport={"width": 1440, "height": 900})
                yield tab
        finally:
            process.terminate()


def _address(process: subprocess.Popen[bytes], said: Path) -> str:
    """The address on which Firefox listens, once it has printed it."""
    deadline = time.monotonic() + SECONDS
    while (match := re.search(r"BiDi listening on (ws://\S+)\n", said.read_text(errors="replace"))) is None:
        assert process.poll() is None, "Firefox did not start"
        assert time.monotonic() < deadline, "Firefox does not listen"
        time.sleep(0.05)
    return match[1]
