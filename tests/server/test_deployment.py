"""The files in `deploy/` fit the server and the guide that shows them. Docker itself is not run here."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from dasan.cli import app
from dasan.server.settings import described

from .services import program

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
GUIDE = (ROOT / "docs/guide/hosting.md").read_text(encoding="utf-8")


def compose() -> Any:
    yaml: Any = pytest.importorskip("yaml", reason="no PyYAML: `make test` installs it")
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))


def test_the_guide_shows_the_files_as_they_are() -> None:
    shown = re.findall(r"<!-- (deploy/\S+) -->\n```\w+\n(.*?)\n```", GUIDE, re.DOTALL)
    assert [name for name, _ in shown] == ["deploy/dasan.service", "deploy/Caddyfile", "deploy/nginx.conf"]
    for name, text in shown:
        assert text == (ROOT / name).read_text(encoding="utf-8").rstrip("\n"), name


def test_every_setting_that_is_named_exists() -> None:
    known = {name for name, _, _ in described()}
    others = {"DASAN_HOSTNAME"}
    for path in (*DEPLOY.iterdir(), ROOT / "docs/guide/hosting.md", ROOT / "docs/start/host.md"):
        assert set(re.findall(r"DASAN_[A-Z_]+[A-Z]", path.read_text(encoding="utf-8"))) <= known | others, path


def test_every_command_that_the_guide_shows_exists() -> None:
    from typer.main import get_command

    commands: Any = get_command(app)
    shown = re.findall(r"(?:^\$ |bin/|`)(?:[A-Z_]+=\S+ )*dasan (?!-)([a-z]+)(?: ([a-z]+))?", GUIDE, re.MULTILINE)
    assert {first for first, _ in shown} == {"serve", "admin"}
    assert {second for first, second in shown if first == "admin"} <= set(commands.commands["admin"].commands)


def test_compose_has_what_a_cluster_needs() -> None:
    services = compose()["services"]
    apps = [one for name, one in services.items() if name.startswith("app-")]
    assert len(apps) == 2
    assert sum(name.startswith("nats-") for name in services) == 3
    assert {"postgres", "caddy", "migrate"} <= set(services)
    for name, service in services.items():
        assert set(service.get("depends_on", ())) <= set(services), name
        assert "build" in service or ":" in service["image"], "images have versions"
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert source in compose()["volumes"] or (DEPLOY / source).is_file(), volume
    for one in apps:
        assert one["environment"]["DASAN_MIGRATE"] == "0", "one container migrates, before the servers start"
        assert not one.get("ports"), "only the proxy is reached from outside"
    variables = set(re.findall(r"\$\{([A-Z_]+)", (DEPLOY / "compose.yaml").read_text(encoding="utf-8")))
    given = set(re.findall(r"^([A-Z_]+)=", (DEPLOY / "env.example").read_text(encoding="utf-8"), re.MULTILINE))
    assert variables == given
    proxy = services["caddy"]["networks"]["inside"]["ipv4_address"]
    assert all(one["environment"]["DASAN_TRUSTED_PROXIES"] == proxy for one in apps)


def test_the_image_starts_what_exists() -> None:
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    assert 'ENTRYPOINT ["dasan"]' in text
    assert "/health" in text
    for line in re.findall(r"^COPY (?!--from)(.*) \.$", text, re.MULTILINE):
        assert (ROOT / line).exists()
    assert "USER dasan" in text


@pytest.mark.parametrize("name", ["Caddyfile", "Caddyfile.cluster"])
def test_caddy_takes_its_files(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [program("caddy"), "adapt", "--adapter", "caddyfile", "--config", str(DEPLOY / name)],
        env={"DASAN_HOSTNAME": "cards.example", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "cards.example" in done.stdout
    assert '"level":"warn"' not in done.stderr, done.stderr
