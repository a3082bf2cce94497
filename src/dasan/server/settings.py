"""What a host can set, and the defaults that suit one person at one machine."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

import platformdirs

from dasan.server.refusals import CannotServe


def default_data_dir() -> Path:
    """Where this user's tables are kept unless told otherwise."""
    return platformdirs.user_data_path("dasan", appauthor=False)


@dataclass(frozen=True)
class Settings:
    """The server's settings; each can be given in the environment as ``DASAN_`` and its name in capitals.

    allowed_hosts: the host names a request may be addressed to; empty means only this machine's own names while the
    server listens on a loopback address, and any name otherwise. bot_delay: seconds before a bot's move is shown.
    warm: 0 compiles nothing in advance, and then nothing that needs compiled code is offered.
    Rates are tokens a second with a burst: messages for each connection, new tables for each player and each address.
    """

    data_dir: Path = field(default_factory=default_data_dir)
    host: str = "127.0.0.1"
    database: str = ""
    static_dir: Path = Path(__file__).parent / "static"
    allowed_hosts: tuple[str, ...] = ()
    bot_delay: float = 0.6
    bot_processes: int = 2
    bot_seconds: float = 10.0
    bot_memory_mb: int = 1024
    study_processes: int = 1
    study_seconds: float = 60.0
    study_memory_mb: int = 2048
    warm: int = 1
    idle_seconds: float = 60.0
    send_queue: int = 256
    send_seconds: float = 20.0
    message_rate: float = 20.0
    message_burst: int = 60
    chat_rate: float = 0.5
    chat_burst: int = 6
    hint_rate: float = 0.5
    hint_burst: int = 10
    table_rate: float = 0.2
    table_burst: int = 30
    join_rate: float = 0.5
    join_burst: int = 30
    study_rate: float = 1.0
    study_burst: int = 20
    record_rate: float = 2.0
    record_burst: int = 60
    sockets_each: int = 64
    most_connections: int = 1000
    most_tables: int = 10_000

    @property
    def local(self) -> bool:
        """Whether only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def serves(self, host: str) -> bool:
        """Whether a request addressed to ``host`` (a name without port) is meant for this server.

        A page of another site that has its own name point at 127.0.0.1 is thereby kept away from a local table.

        >>> Settings().serves("localhost"), Settings().serves("evil.example")
        (True, False)
        """
        if self.allowed_hosts:
            return "*" in self.allowed_hosts or host in self.allowed_hosts
        return not self.local or host in {"localhost", "127.0.0.1", "::1", self.host}

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ, **given: object) -> Settings:
        """The settings in the environment, with those in ``given`` (None: not given) instead.

        >>> Settings.from_environment({"DASAN_BOT_DELAY": "0", "DASAN_ALLOWED_HOSTS": "a.example, b.example"})
        ... # doctest: +ELLIPSIS
        Settings(... allowed_hosts=('a.example', 'b.example'), bot_delay=0.0, ...)
        """
        values: dict[str, object] = {}
        for f in fields(cls):
            text = environment.get(f"DASAN_{f.name.upper()}")
            if text:
                values[f.name] = _read(f.name, str(f.type), text)
        values |= {name: value for name, value in given.items() if value is not None}
        return cls(**values)  # type: ignore[arg-type]


def _read(name: str, type_: str, text: str) -> object:
    try:
        match type_:
            case "Path":
                return Path(text).expanduser()
            case "int":
                return int(text)
            case "float":
                return float(text)
            case "tuple[str, ...]":
                return tuple(part.strip() for part in text.split(",") if part.strip())
            case _:
                return text
    except ValueError:
        raise CannotServe(f"DASAN_{name.upper()} is not a number: {text!r}") from None
