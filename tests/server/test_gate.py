"""The edge of the server: headers of proxies, damaged settings, a failing store."""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import httpx
import pytest
from argon2 import PasswordHasher
from argon2.exceptions import HashingError
from typer.testing import CliRunner
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from dasan.cli import app
from dasan.server.app import create_app
from dasan.server.main import configure
from dasan.server.people.identity import Identities
from dasan.server.people.restrictions import Restrictions
from dasan.server.refusals import CannotServe
from dasan.server.settings import SWITCHES, Settings, described, variable
from dasan.server.store.database import DATABASE_FILE
from dasan.server.store.people import People
from dasan.server.store.server_database import ServerDatabase

from .harness import Serve, Served, fast

pytestmark = pytest.mark.full

DOCUMENT = Path(__file__).parents[2] / "docs/reference/settings.md"


def test_what_a_stranger_forwards_is_not_believed(serve: Serve) -> None:
    forged = {"x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https"}
    body = {"preset": "big-two"}
    with serve(table_burst=2, table_rate=0.001) as server:
        codes = [httpx.post(f"{server.address}/api/tables", json=body, headers=forged).status_code for _ in range(3)]
        assert codes == [201, 201, 429]
    with serve(table_burst=2, table_rate=0.001, trusted_proxies=("127.0.0.0/8",)) as server:
        for last in range(3):
            headers = {"x-forwarded-for": f"203.0.113.{last}", "x-forwarded-proto": "https"}
            answer = httpx.post(f"{server.address}/api/tables", json=body, headers=headers)
            assert answer.status_code == 201, "each player has a limit of their own"
            assert "Secure" in answer.headers["set-cookie"]


async def test_a_proxy_is_trusted_by_the_address_that_a_socket_for_ipv6_shows(tmp_path: Path) -> None:
    """Such as with ``--host ::``, where the proxy comes from ``::ffff:127.0.0.1``."""
    settings = fast(tmp_path, trusted_proxies=("127.0.0.1", "10.0.0.0/8"))
    assert [settings.trusts(f"::ffff:{one}") for one in ("127.0.0.1", "10.1.2.3", "127.0.0.2")] == [True, True, False]
    assert settings.trusted_networks is settings.trusted_networks, "parsed once, not for each connection"
    seen: list[Any] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        seen.append((scope["client"][0], scope["scheme"]))

    trusted = configure(create_app(settings)).forwarded_allow_ips
    assert trusted is not None
    behind: Any = ProxyHeadersMiddleware(inner, trusted)
    headers = [(b"x-forwarded-for", b"203.0.113.7"), (b"x-forwarded-proto", b"https")]
    for client in ("::ffff:127.0.0.1", "::ffff:127.0.0.2"):
        await behind({"type": "http", "scheme": "http", "client": (client, 1), "headers": headers}, None, None)
    assert seen == [("203.0.113.7", "https"), ("::ffff:127.0.0.2", "http")]


@pytest.mark.parametrize("origin", ["http://[", "http://]:x", "null", "//", "http://a b"])
def test_a_damaged_origin_is_refused(server: Served, origin: str) -> None:
    answer = httpx.post(f"{server.address}/api/tables", json={"preset": "big-two"}, headers={"origin": origin})
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


@pytest.mark.parametrize("name", ["preset", "self", "rules", "__class__"])
def test_options_of_any_name_are_refused_by_name(server: Served, name: str) -> None:
    http = server.player().http
    answer = http.post("/api/tables", json={"preset": "big-two", "options": {name: 1}})
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed")
    assert http.get("/api/rules/big-two", params={name: "1"}).status_code == 400


def test_health_tells_of_a_store_that_takes_nothing(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dasan.server.operations.checks.FRESH", 0)
    http = server.player().http
    assert http.get("/api/health").status_code == 200
    for path in server.settings.data_dir.glob("dasan.sqlite3*"):
        path.unlink()
    health = http.get("/api/health")
    assert (health.status_code, health.json()["message"]) == (503, "the store cannot be written to")
    refused = http.post("/api/tables", json={"preset": "big-two"})
    assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
    assert "database" in refused.json()["message"]


def test_a_data_folder_that_is_removed_is_told_as_such_and_nothing_is_acknowledged(server: Served) -> None:
    player = server.player()
    table_id = player.open_table("big-two", ["random"] * 3)
    with player.sit(table_id) as socket:
        assert socket.my_turn()
        shutil.rmtree(server.settings.data_dir)
        socket.send(type="move", id="m", move=socket.view["legal_moves"][0]["move"])
        refused = socket.answer("m")
        assert (refused["type"], refused["code"]) == ("error", "unavailable")
        assert "database" in refused["message"]
    for path in (f"/api/tables/{table_id}", "/api/health", "/api/lobby", "/api/me"):
        # Data in memory can still be read.
        assert player.http.get(path).status_code in (200, 503), path
    assert player.http.get("/api/health").json()["message"] == "the store cannot be written to"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("DASAN_BOT_DELAY", "nan"),
        ("DASAN_BOT_DELAY", "-1"),
        ("DASAN_IDLE_SECONDS", "inf"),
        ("DASAN_BOT_PROCESSES", "0"),
        ("DASAN_TABLE_BURST", "0"),
        ("DASAN_SEND_QUEUE", "0"),
        ("DASAN_KEEP_CHAT_DAYS", "99999999999999999999"),
        ("DASAN_IDLE_SECONDS", "1e300"),
        ("DASAN_WARM", "2"),
        ("DASAN_HOST", "a\0b"),
        ("DASAN_TRUSTED_PROXIES", "proxy.example"),
    ],
)
def test_settings_that_cannot_be_are_one_line(name: str, text: str) -> None:
    with pytest.raises(CannotServe, match=name):
        Settings.read({name: text})


def test_every_number_has_bounds_and_beyond_them_is_one_line() -> None:
    for setting in fields(Settings):
        if setting.type not in ("int", "float"):
            continue
        name = variable(setting.name)
        least, most = setting.metadata["bounds"] if setting.name not in SWITCHES else (0, 1)
        below = f"{least - 1}" if setting.type == "int" else f"{least / 2 or -1}"
        for text in (below, f"{most + 1}", str(2**31 - 1), str(2**63), "-1", "1" + "0" * 400):
            with pytest.raises(CannotServe, match=name) as refused:
                Settings.read({name: text})
            assert "\n" not in str(refused.value)
            assert len(str(refused.value)) < 200
        for bound in (least, most):
            assert getattr(Settings.read({name: str(bound)}), setting.name) == bound


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("DASAN_DATA_DIR", "~nobody-of-that-name/x", "the home folder of an unknown user"),
        ("DASAN_STATIC_DIR", "~nobody-of-that-name/x", "the home folder of an unknown user"),
        ("DASAN_SETTINGS", "~nobody-of-that-name/x", "the home folder of an unknown user"),
        ("DASAN_DATA_DIR", "x" * 300, "File name too long"),
        ("DASAN_DATABASE", "postgresql://127.0.0.1:1/dasan", "the database cannot be used"),
        ("DASAN_DATABASE", "postgresql://host:port/dasan", "the database's address cannot be used: its port is not"),
        (
            "DASAN_DATABASE",
            "postgresql://me:a@b:hunter2@host/dasan",
            "the database's address cannot be used: its port is not",
        ),
        ("DASAN_DATABASE", "sqlite:///dasan", "the database's address cannot be used: it must name a PostgreSQL"),
        ("DASAN_DATABASE", "dasan", "the database's address cannot be used: it must name a PostgreSQL"),
        ("DASAN_DATABASE", "postgresql://127.0.0.1:99999/dasan", "the database cannot be used"),
        (
            "DASAN_DATABASE",
            "nonsense://127.0.0.1/dasan",
            "the database's address cannot be used: it must name a PostgreSQL",
        ),
        (
            "DASAN_DATABASE",
            "mysql://127.0.0.1/dasan",
            "the database's address cannot be used: it must name a PostgreSQL",
        ),
    ],
)
def test_a_server_with_a_setting_that_cannot_be_ends_in_one_line(
    name: str, text: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("asyncpg", reason="no PostgreSQL driver: `make test-all` installs it")
    monkeypatch.setenv("DASAN_DATA_DIR", str(tmp_path))
    monkeypatch.setenv(name, text)
    done = CliRunner().invoke(app, ["serve", "--port", "0"])
    assert done.exit_code == 2, done.output
    assert sentence in " ".join(done.output.split())
    assert "Traceback" not in done.output
    assert "hunter2" not in done.output


async def test_without_its_driver_a_postgresql_database_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(CannotServe, match=r"pip install 'dasan\[postgres\]'"):
        await ServerDatabase.open("postgresql://host/name")


def test_a_machine_with_too_little_memory_to_hash_a_password_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def hash(*_: object) -> str:
        raise HashingError("Memory allocation error")

    monkeypatch.setattr(PasswordHasher, "hash", hash)
    with pytest.raises(CannotServe, match="DASAN_PASSWORD_MEMORY_MB is 4096"):
        Identities(b"k" * 32, People(None, Restrictions()), 4096)  # type: ignore[arg-type]


def test_every_setting_is_documented() -> None:
    rows = [f"| `{name}` | {default} | {help} |" for name, default, help in described()]
    assert rows == re.findall(r"^\| `DASAN_.*$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)


def test_the_file_of_settings_that_the_documentation_shows_is_read(tmp_path: Path) -> None:
    (shown,) = re.findall(r"<!-- settings file -->\n```toml\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "dasan.toml").write_text(shown)
    assert Settings.read({}, file=tmp_path / "dasan.toml").allowed_hosts == ("cards.example",)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc to list open files")
async def test_a_server_that_cannot_start_closes_its_database(tmp_path: Path) -> None:
    server = create_app(fast(tmp_path, secret="short"))
    with pytest.raises(CannotServe, match="DASAN_SECRET needs at least"):
        async with server.router.lifespan_context(server):
            pass
    assert _open_files(tmp_path / "data") == []


def _open_files(folder: Path) -> list[Path]:
    """The files of the folder that this process has open."""
    assert (folder / DATABASE_FILE).exists()
    files = [file.readlink() for file in Path("/proc/self/fd").iterdir() if file.is_symlink()]
    return [file for file in files if file.is_relative_to(folder)]
