"""Starting: settings, ports, one line for what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from dasan.server.main import listen, serve
from dasan.server.refusals import CannotServe
from dasan.server.settings import Settings


def test_a_taken_port_is_one_line(tmp_path: Path) -> None:
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    with pytest.raises(CannotServe, match=f"port {port}") as refused:
        serve("127.0.0.1", port, tmp_path)
    listener.close()
    assert "\n" not in str(refused.value)


def test_a_data_directory_that_is_none_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotServe, match="data directory"):
        serve("127.0.0.1", 0, tmp_path / "file")


def test_an_unknown_host_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(CannotServe, match="cannot listen on"):
        serve("no such host", 0, tmp_path)


def test_settings_come_from_the_environment() -> None:
    settings = Settings.from_environment({"DASAN_DATA_DIR": "~/x", "DASAN_SEND_QUEUE": "9", "DASAN_HOST": ""}, host=None)
    assert settings.data_dir == Path("~/x").expanduser()
    assert (settings.send_queue, settings.host) == (9, "127.0.0.1")
    assert Settings.from_environment({"DASAN_HOST": "a"}, host="b").host == "b"
    with pytest.raises(CannotServe, match="DASAN_BOT_DELAY"):
        Settings.from_environment({"DASAN_BOT_DELAY": "soon"})


@pytest.mark.parametrize(
    ("host", "allowed", "name", "answer"),
    [
        ("127.0.0.1", (), "localhost", True),
        ("::1", (), "::1", True),
        ("localhost", (), "evil.example", False),
        ("0.0.0.0", (), "anything.example", True),
        ("0.0.0.0", ("cards.example",), "cards.example", True),
        ("0.0.0.0", ("cards.example",), "other.example", False),
        ("127.0.0.1", ("*",), "anything.example", True),
    ],
)
def test_the_names_a_server_answers_to(host: str, allowed: tuple[str, ...], name: str, answer: bool) -> None:
    assert Settings(host=host, allowed_hosts=allowed).serves(name) is answer
