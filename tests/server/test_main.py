"""Starting: settings, ports, one line for each error."""

from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dasan.cli import app
from dasan.server.app import create_app
from dasan.server.main import listen, serve
from dasan.server.refusals import CannotServe
from dasan.server.settings import Settings
from dasan.server.store import Store
from dasan.server.times import now

from .conftest import new_database
from .harness import fast


@pytest.mark.full
def test_a_taken_port_is_one_line(tmp_path: Path) -> None:
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    with pytest.raises(CannotServe, match=f"port {port}") as refused:
        serve("127.0.0.1", port, tmp_path)
    listener.close()
    assert "\n" not in str(refused.value)


@pytest.mark.full
def test_a_data_directory_that_is_none_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotServe, match="data directory"):
        serve("127.0.0.1", 0, tmp_path / "file")


@pytest.mark.full
def test_an_unknown_host_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(CannotServe, match="cannot listen on"):
        serve("no such host", 0, tmp_path)


def test_settings_come_from_the_environment() -> None:
    settings = Settings.read({"DASAN_DATA_DIR": "~/x", "DASAN_SEND_QUEUE": "9", "DASAN_HOST": ""}, host=None)
    assert settings.data_dir == Path("~/x").expanduser()
    assert (settings.send_queue, settings.host) == (9, "127.0.0.1")
    assert Settings.read({"DASAN_HOST": "a"}, host="b").host == "b"
    for name, text, kind in (
        ("DASAN_BOT_DELAY", "soon", "a number"),
        ("DASAN_SEND_QUEUE", "1.5", "a whole number"),
        ("DASAN_WARM", "true", "0 or 1"),
    ):
        with pytest.raises(CannotServe, match=f"^{name} is {kind}, not '{text}'$"):
            Settings.read({name: text})


def test_the_log_names_variables_that_are_no_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("DASAN_TRUSTED_PROXY", "127.0.0.1")
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotServe, match="data directory"):
        serve("127.0.0.1", 0, tmp_path / "file")
    assert "there is no setting DASAN_TRUSTED_PROXY" in caplog.text


def test_push_services_are_given_a_contact_at_the_servers_name() -> None:
    """Apple's push service refuses an address at localhost."""
    assert Settings(allowed_hosts=("*", "192.0.2.1", "cards.example")).contact == "postmaster@cards.example"
    assert Settings(public_url="https://a.example/", allowed_hosts=("b.example",)).contact == "postmaster@a.example"
    assert Settings(public_url="https://a.example", mail_from="ann@b.example").contact == "ann@b.example"
    assert Settings(allowed_hosts=("localhost",)).contact == "postmaster@localhost"


@pytest.mark.full
@pytest.mark.parametrize("name", ["dasan.sqlite3", "session.key"])
def test_a_file_that_cannot_be_opened_is_one_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as one that root made, in a folder of the server's user."""

    def refuse(self: Path, *_: object, **__: object) -> None:
        if self.name.startswith(name):
            raise PermissionError(errno.EACCES, "Permission denied", str(self))

    monkeypatch.setattr(Path, "touch", refuse)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(CannotServe, match=r"cannot be used: Permission denied$"):
        serve("127.0.0.1", 0, tmp_path)


@pytest.mark.full
async def test_a_second_process_without_nats_is_warned_of(
    tmp_path: Path, postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    url = await new_database(postgres_url)
    for others in (0, 1):
        one = create_app(fast(tmp_path, database=url))
        async with one.router.lifespan_context(one):
            pass
        assert caplog.text.count("several processes need DASAN_NATS") == others
        store = await Store.open(tmp_path, url)
        await store.processes.beat("other", "1", now())
        await store.close()


@pytest.mark.full
def test_an_unforeseen_failure_is_logged_by_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(_: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr("dasan.server.store.leases.Leases.end_all", fail)
    with pytest.raises(CannotServe, match="could not start"):
        serve("127.0.0.1", 0, tmp_path)
    assert "starting or stopping the server failed: RuntimeError" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.full
def test_settings_come_from_a_file_and_the_environment_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "dasan.toml"
    file.write_text(
        'host = "0.0.0.0"\nsend_queue = 9\nbot_delay = 1\nwarm = false\ndata_dir = "~/x"\n'
        'allowed_hosts = ["a.example", "b.example"]\n'
    )
    settings = Settings.read({"DASAN_SEND_QUEUE": "7"}, file=file)
    assert (settings.host, settings.send_queue, settings.bot_delay, settings.warm) == ("0.0.0.0", 7, 1.0, 0)
    assert settings.allowed_hosts == ("a.example", "b.example")
    assert settings.data_dir == Path("~/x").expanduser()
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())  # the byte order mark that editors on Windows write
    assert Settings.read({"DASAN_SETTINGS": str(file)}, host="::1") == replace(settings, send_queue=9, host="::1")


@pytest.mark.full
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("send_queue = 1.5", "send_queue"),
        ("send_queue = true", "send_queue"),
        ('send_queue = "9"', "send_queue"),
        ("send_queue = -1", "DASAN_SEND_QUEUE"),
        ("send_queue = 99999999999999999999", "DASAN_SEND_QUEUE"),
        ("bot_delay = nan", "DASAN_BOT_DELAY"),
        ("bot_delay = " + "9" * 400, "DASAN_BOT_DELAY"),
        ("bot_delay = 1979-05-27", "bot_delay"),
        ('allowed_hosts = "a.example"', "allowed_hosts"),
        ("allowed_hosts = [1]", "allowed_hosts"),
        ('allowed_hosts = ["https://a.example"]', "DASAN_ALLOWED_HOSTS"),
        ('allowed_hosts = ["a.example:8000"]', "DASAN_ALLOWED_HOSTS"),
        ('allowed_hosts = ["*.a.example"]', "DASAN_ALLOWED_HOSTS"),
        ('allowed_hosts = ["a.example, b.example"]', "DASAN_ALLOWED_HOSTS"),
        ('allowed_hosts = ["[::1]"]', "DASAN_ALLOWED_HOSTS"),
        ('trusted_proxies = ["proxy.example"]', "DASAN_TRUSTED_PROXIES"),
        ("data_dir = 1", "data_dir"),
        ('data_dir = ""', "data_dir"),
        ('host = "a\\u0000b"', "DASAN_HOST"),
        ("[server]\nhost = 1", "server"),
        ("bot_dely = 1", "bot_dely"),
        ('log_level = "loud"', "DASAN_LOG_LEVEL"),
        ("host = ", "not TOML"),
        ("host = " + "[" * 100_000, "not TOML"),
        ("send_queue = " + "9" * 10_000, "not TOML"),
        ("send_queue = 0x" + "9" * 10_000, "DASAN_SEND_QUEUE"),
        ("warm = 0x" + "9" * 10_000, "DASAN_WARM"),
        ("bot_delay = 0x" + "9" * 10_000, "DASAN_BOT_DELAY"),
        ("host = 0x" + "9" * 10_000, "host"),
        ("allowed_hosts = [0x" + "9" * 10_000 + "]", "allowed_hosts"),
        ('log_level = "' + "x" * 10_000 + '"', "DASAN_LOG_LEVEL"),
        ('trusted_proxies = ["' + "x" * 10_000 + '"]', "DASAN_TRUSTED_PROXIES"),
        ("\udcff", "not TOML"),
    ],
)
def test_a_file_of_settings_that_cannot_be_is_one_line(tmp_path: Path, text: str, named: str) -> None:
    file = tmp_path / "dasan.toml"
    file.write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(CannotServe, match=named) as refused:
        Settings.read({}, file=file)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


@pytest.mark.full
def test_a_file_of_settings_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["serve", "--settings", str(tmp_path / "nothing"), "--port", "0"])
    assert done.exit_code == 2
    assert " ".join(done.output.split()).endswith("nothing cannot be read: No such file or directory")


@pytest.mark.parametrize(
    ("host", "allowed", "name", "answer"),
    [
        ("127.0.0.1", (), "localhost", True),
        ("::1", (), "::1", True),
        ("localhost", (), "evil.example", False),
        ("0.0.0.0", (), "anything.example", True),
        ("0.0.0.0", ("cards.example",), "cards.example", True),
        ("0.0.0.0", ("cards.example",), "other.example", False),
        ("0.0.0.0", ("Cards.Example",), "cards.example", True),
        ("127.0.0.1", ("*",), "anything.example", True),
    ],
)
def test_the_names_a_server_answers_to(host: str, allowed: tuple[str, ...], name: str, answer: bool) -> None:
    assert Settings(host=host, allowed_hosts=allowed).serves(name) is answer
