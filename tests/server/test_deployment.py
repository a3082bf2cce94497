"""The files in `deploy/` fit the server and the guide that shows them. Docker itself is not run here."""

from __future__ import annotations

import configparser
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.packaging.test_wheel import copy_tracked
from typer.main import get_command

from dasan.cli import app
from dasan.server.settings import FILE, Settings, described

from .harness import fast, served
from .services import free_port, program, wait_for

pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
GUIDE = (ROOT / "docs/guide/hosting.md").read_text(encoding="utf-8")


def compose() -> Any:
    yaml: Any = pytest.importorskip("yaml", reason="no PyYAML: `make test-all` installs it")
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))


def test_the_guide_shows_the_files_as_they_are() -> None:
    shown = re.findall(r"<!-- (deploy/\S+) -->\n```\w+\n(.*?)\n```", GUIDE, re.DOTALL)
    assert [name.removeprefix("deploy/") for name, _ in shown] == [
        "dasan.service",
        "dasan.toml",
        "Caddyfile",
        "nginx.conf",
    ]
    for name, text in shown:
        assert text == (ROOT / name).read_text(encoding="utf-8").rstrip("\n"), name


def test_every_setting_that_is_named_exists() -> None:
    known = {name for name, _, _ in described()}
    others = {"DASAN_HOSTNAME", "DASAN_COMMIT", FILE}
    for path in (*DEPLOY.iterdir(), ROOT / "docs/guide/hosting.md", ROOT / "docs/start/host.md"):
        assert set(re.findall(r"DASAN_[A-Z_]+[A-Z]", path.read_text(encoding="utf-8"))) <= known | others, path


def test_every_command_that_the_guide_shows_exists() -> None:
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
    assert variables - {"DASAN_COMMIT"} == given, "the commit is of the build"
    assert all(service["init"] for service in services.values() if "build" in service), (
        "a shell that waits can be stopped"
    )
    limits = [service["logging"]["options"] for service in services.values()]
    assert all(set(one) == {"max-size", "max-file"} for one in limits), "the log of every container is bounded"
    proxy = services["caddy"]["networks"]["inside"]["ipv4_address"]
    assert all(one["environment"]["DASAN_TRUSTED_PROXIES"] == proxy for one in apps)


def test_compose_shows_the_proxy_the_addresses_of_players() -> None:
    """Docker forwards IPv6 into a network without it by a proxy of its own, and all players have that one's address."""
    services, networks = compose()["services"], compose()["networks"]
    assert not any(network.get("enable_ipv6") for network in networks.values())
    ports = [port for service in services.values() for port in service.get("ports", ())]
    assert sorted(port.split(":")[:2] for port in ports) == [["0.0.0.0", "443"], ["0.0.0.0", "80"]]
    assert "no AAAA record" in GUIDE


def test_the_upgrade_replaces_every_container_of_the_old_version() -> None:
    section = GUIDE.partition("## Upgrade\n")[2].partition("\n## ")[0]
    started = {
        word for line in re.findall(r"^\$ docker compose up (.*)$", section, re.MULTILINE) for word in line.split()
    }
    ours = {name for name, service in compose()["services"].items() if "build" in service}
    assert started >= (ours - {"migrate"}) | {"caddy"}
    assert "$ docker compose run --rm migrate" in section


def test_docker_takes_the_file() -> None:
    for command in (["docker", "compose"], ["docker-compose"]):
        if (
            shutil.which(command[0])
            and not subprocess.run([*command, "version"], capture_output=True, check=False).returncode
        ):
            break
    else:
        pytest.skip("no docker compose: see Docker's documentation")
    filled = dict.fromkeys(("DASAN_HOSTNAME", "DASAN_SECRET", "POSTGRES_PASSWORD"), "x" * 40)
    asked = [*command, "--file", str(DEPLOY / "compose.yaml"), "config", "--quiet"]
    done = subprocess.run(asked, env={**os.environ, **filled}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_container_for_backups_makes_one_that_can_be_restored(tmp_path: Path) -> None:
    (flag, script) = compose()["services"]["backup"]["command"]
    environment = {**os.environ, "HOME": str(tmp_path), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    environment["DASAN_DATA_DIR"] = str(tmp_path / "data")
    with served(fast(tmp_path / "data")) as server:
        table_id = server.player().open_table("big-two", ["random"] * 3)
        environment["DASAN_DATA_DIR"] = str(server.settings.data_dir)
        assert "sleep 86400" in script
        once = script.replace("$$", "$").replace("sleep 86400", "exit")
        subprocess.run(["sh", flag, once], env=environment, check=True)
    # The drill does not touch the database that the container's environment, or a file of settings, names.
    live = "postgresql://nobody@127.0.0.1:1/none"
    (file := tmp_path / "settings.toml").write_text(f'database = "{live}"\n')
    drill = ["sh", flag, f'{DEPLOY / "restore-drill"} "$HOME/backups"']
    for settings in ({"DASAN_DATABASE": live}, {"DASAN_SETTINGS": str(file)}):
        done = subprocess.run(drill, env=environment | settings, capture_output=True, text=True, check=True)
        assert table_id in done.stdout
        assert "can be restored" in done.stdout


def test_the_service_is_started_again_however_often_it_fails() -> None:
    """By default systemd starts a unit five times in ten seconds, 100 ms after each failure, and then no more."""
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.read(DEPLOY / "dasan.service", encoding="utf-8")
    assert unit["Service"]["Restart"] == "on-failure"
    assert int(unit["Service"]["RestartSec"]) >= 5
    assert unit["Unit"]["StartLimitIntervalSec"] == "0"


def test_a_stop_ends_no_bot_before_the_server() -> None:
    """By default systemd sends SIGTERM to every process of a unit: bots would fail, and their stand-ins would play on."""
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.read(DEPLOY / "dasan.service", encoding="utf-8")
    assert unit["Service"]["KillMode"] == "mixed"


def test_the_service_may_do_little_but_compile_code() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.read(DEPLOY / "dasan.service", encoding="utf-8")
    options = unit["Service"]
    assert options["CapabilityBoundingSet"] == ""
    assert options["SystemCallFilter"] == "@system-service"
    assert options["ProtectSystem"] == "strict"
    assert "MemoryDenyWriteExecute" not in options, "compiled code is written and then executed"
    assert options["OOMPolicy"] == "continue", "else the end of one bot's process stops the server"


def test_the_guide_makes_the_users_and_folders_of_the_services() -> None:
    commands = re.findall(r"^\$ (.*)$", GUIDE, re.MULTILINE)
    made = {line.split()[-1] for line in commands if line.startswith("useradd ")}
    copied = {word for line in commands if line.startswith("cp ") for word in line.split()[1:-1]}
    for path in DEPLOY.glob("*.service"):
        assert set(re.findall(r"^User=(.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)) <= made, path
        assert f"deploy/{path.name}" in copied

    # That user cannot make a folder in /var/lib, and sudo finds no program in /opt/dasan/bin.
    unit = (DEPLOY / "dasan.service").read_text(encoding="utf-8")
    (user,), (settings,), (executable,) = (
        re.findall(pattern, unit, re.MULTILINE)
        for pattern in (r"^User=(.*)$", rf"^Environment={FILE}=(.*)$", r"^ExecStart=(\S+) ")
    )
    assert f"alias dasan='sudo -u {user} env {FILE}={settings} {executable}'" in commands
    assert f"install --group={user} --mode=640 deploy/dasan.toml {Path(settings).parent}/" in commands
    assert Path(settings).name == "dasan.toml"
    folder = Settings.read({}, file=DEPLOY / "dasan.toml").data_dir
    blocks = re.findall(r"```console\n(.*?)```", GUIDE, re.DOTALL)
    (restore,) = (block for block in blocks if "admin restore" in block and "docker" not in block)
    before, _, _ = restore.partition("dasan admin restore")
    assert before.endswith(
        f"$ mv {folder} {folder}.old\n$ install --directory --owner={user} --group={user} --mode=700 {folder}\n$ "
    )


def test_the_log_of_the_service_is_bounded_by_the_file_of_its_namespace() -> None:
    unit = (DEPLOY / "dasan.service").read_text(encoding="utf-8")
    (namespace,) = re.findall(r"^LogNamespace=(.*)$", unit, re.MULTILINE)
    text = (DEPLOY / f"journald@{namespace}.conf").read_text(encoding="utf-8")
    assert re.search(r"^SystemMaxUse=\d+G$", text, re.MULTILINE)
    assert re.search(r"^MaxRetentionSec=\d+day$", text, re.MULTILINE)


def test_the_image_starts_what_exists() -> None:
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    assert 'ENTRYPOINT ["dasan"]' in text
    assert "/health" in text
    copied = re.findall(r"^COPY (?!--from)(\S+) \S+$", text, re.MULTILINE)
    assert copied == ["requirements/host.txt", ".", "deploy/restore-drill"]
    assert all((ROOT / name).exists() for name in copied)
    assert "USER dasan" in text


def test_what_the_files_set_is_accepted() -> None:
    for name, service in compose()["services"].items():
        if "build" in service:
            filled = {
                key: re.sub(r"\$\{([A-Z_]+)[^}]*\}", "x" * 40, value) for key, value in service["environment"].items()
            }
            settings = Settings.read({**image()[1], **filled})
            assert (settings.migrate, settings.host, len(settings.nats.split(","))) == (0, "0.0.0.0", 3), name
            assert settings.trusts("172.29.0.10")
    unit = (DEPLOY / "dasan.service").read_text(encoding="utf-8")
    environment = dict(line.split("=", 1) for line in re.findall(r"^Environment=(.*)$", unit, re.MULTILINE))
    environment[FILE] = str(DEPLOY / Path(environment[FILE]).name)
    settings = Settings.read(environment)
    assert settings.trusted_proxies == ("127.0.0.1",)
    assert settings.data_dir == Path("/var/lib") / re.findall(r"^StateDirectory=(.*)$", unit, re.MULTILINE)[0]
    for words in (re.findall(r"^ExecStart=\S+/dasan (.*)$", unit, re.MULTILINE)[0].split(), image()[2]):
        command: Any = get_command(app)
        assert command.commands["serve"].make_context("serve", words[1:]).params["port"] == 8000


def test_nats_takes_its_words() -> None:
    words = compose()["services"]["nats-1"]["command"]
    clients, routes = free_port(), str(free_port())
    words = [re.sub(r"0\.0\.0\.0:6222|nats-\d:6222", f"127.0.0.1:{routes}", word) for word in words]
    started = [program("nats-server"), "-a", "127.0.0.1", "-p", str(clients), *words]
    node = subprocess.Popen(started, stderr=subprocess.DEVNULL)
    try:
        wait_for(clients)
        wait_for(int(routes))
    finally:
        node.kill()
        node.wait()


def image() -> tuple[list[str], dict[str, str], list[str], list[str]]:
    """Of the Dockerfile: the commands of its first stage, the environment, the words of its start and its health check."""
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    first, _, second = text.partition("\nFROM python:3.12-slim\n")
    runs = re.findall(r"^RUN (.*)$", first, re.MULTILINE)
    environment = dict(word.split("=", 1) for word in re.findall(r"^ENV (.*)$", second, re.MULTILINE)[0].split())
    words = [json.loads(entry) for entry in re.findall(r"^(?:ENTRYPOINT|CMD) (\[.*\])$", second, re.MULTILINE)]
    (health,) = re.findall(r"^HEALTHCHECK .*? CMD\s+(\[.*\])$", second, re.MULTILINE)
    assert words[0] == ["dasan"]
    return runs, environment, words[1], json.loads(health)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_commands_of_the_image_work_by_hand(tmp_path: Path) -> None:
    """The steps of Docker without Docker: install, start, check health, stop. It downloads some hundred megabytes."""
    runs, environment, words, health = image()
    source, tools, port = tmp_path / "src", tmp_path / "tools", free_port()
    copy_tracked(source)
    for line in (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").split():
        for ignored in source.glob(line):
            shutil.rmtree(ignored) if ignored.is_dir() else ignored.unlink()
    tools.mkdir()
    (tools / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (tools / "python").chmod(0o755)

    def here(text: str) -> str:
        return text.replace("/opt/dasan", str(tmp_path / "opt")).replace("/var/lib/dasan", str(tmp_path / "var"))

    plain = {name: value for name, value in os.environ.items() if not name.startswith(("DASAN_", "PYTHON"))}
    for run in runs:
        subprocess.run(here(run), shell=True, cwd=source, env={**plain, "PATH": f"{tools}:{plain['PATH']}"}, check=True)
    (tmp_path / "var").mkdir()
    inside = plain | {name: here(value).replace("$PATH", plain["PATH"]) for name, value in environment.items()}
    command = [str(tmp_path / "opt/bin/dasan"), *[word.replace("8000", str(port)) for word in words]]
    server = subprocess.Popen(command, env=inside, cwd=tmp_path)
    try:
        wait_for(port)
        asked = [word.replace("8000", str(port)) for word in health]
        subprocess.run([tmp_path / "opt/bin" / asked[0], *asked[1:]], env=inside, cwd=tmp_path, check=True)
        page = httpx.get(f"http://127.0.0.1:{port}/")
        assert page.status_code == 200, "the image has the page"
        assert (tmp_path / "var/data/dasan.sqlite3").is_file()
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) in (0, -signal.SIGTERM)
    finally:
        server.kill()
        server.wait()


def test_every_proxy_hides_what_only_monitors_ask() -> None:
    """The server answers these paths under every host name."""
    for name in ("Caddyfile", "Caddyfile.cluster"):
        text = (DEPLOY / name).read_text(encoding="utf-8")
        assert "\t@inside path /metrics /ready /api/ready\n\trespond @inside 404\n" in text, name
    assert "location ~ ^/(metrics|ready|api/ready)$ {\n        return 404;" in (DEPLOY / "nginx.conf").read_text("utf-8")


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
