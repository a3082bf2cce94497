"""The settings of a server; the defaults suit one person on one machine."""

from __future__ import annotations

import ipaddress
import math
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import platformdirs

from dasan.arguments import shown
from dasan.server.operations.logs import FORMATS, LEVELS
from dasan.server.refusals import CannotServe

LEAST_TOKEN = 16
FILE = "DASAN_SETTINGS"
"""The environment variable that names a file of settings."""
SMTP_SECURITY = ("starttls", "tls", "none")
URL = re.compile(r"https?://([A-Za-z0-9.-]+)(?::[0-9]{1,5})?/?")
HOST = re.compile(r"\*|[A-Za-z0-9._-]+")
MAIL = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,190}")
MOST_DAYS = 36_500
MOST_RATE, MOST_BURST = 1_000_000, 1_000_000
LEAST_MEMORY_MB, MOST_MEMORY_MB = 512, 1_048_576
"""Bounds of a worker process's memory in megabytes: with 256, bots that use NumPy crash."""


def default_data_dir() -> Path:
    """The default data folder of this user."""
    return platformdirs.user_data_path("dasan", appauthor=False)


def setting(default: object, help: str, *, secret: bool = False) -> Any:
    """A field with its text for the documentation. secret: whether it is never printed."""
    return field(default=default, repr=not secret, metadata={"help": help})


def switch(default: int, help: str) -> Any:
    """A field that is 0 or 1."""
    return field(default=default, metadata={"help": help, "switch": True})


def number(default: float, help: str, least: float, most: float) -> Any:
    """A field with a number from ``least`` to ``most``."""
    return field(default=default, metadata={"help": help, "bounds": (least, most)})


def days(help: str) -> Any:
    """A number of days for which data is kept; 0: forever."""
    return number(0, help, 0, MOST_DAYS)


def rate(default: float, help: str) -> Any:
    """A sustained rate of actions a second."""
    return number(default, help, 0.0001, MOST_RATE)


def burst(default: int) -> Any:
    """The burst that goes with a rate."""
    return number(default, "the burst of that rate", 1, MOST_BURST)


@dataclass(frozen=True)
class Settings:
    """The server's settings; each can be set in the environment as ``DASAN_`` and its name in capitals, or in a file.

    ``described`` documents them. Rates are tokens a second, with a burst. ``CannotServe``, in one sentence that names
    the setting: a value is not valid.
    """

    data_dir: Path = field(
        default_factory=default_data_dir, metadata={"help": "the folder of the database and the signing key"}
    )
    host: str = setting(
        "127.0.0.1", "the address to listen on; `0.0.0.0` for all IPv4 addresses, `::` for all of IPv4 and IPv6"
    )
    database: str = setting("", "the address of a PostgreSQL database; empty: SQLite in the data folder", secret=True)
    nats: str = setting("", "NATS addresses, separated by commas, for several processes on one database", secret=True)
    secret: str = setting(
        "",
        "at least 32 characters that sign cookies, the same for all processes; empty: a key in the data folder",
        secret=True,
    )
    static_dir: Path = field(
        default_factory=lambda: Path(__file__).parent / "static", metadata={"help": "the built web client"}
    )
    allowed_hosts: tuple[str, ...] = setting(
        (),
        "host names under which the server answers; `/health`, `/ready` and `/metrics` answer under any; empty: this "
        "machine's own, or any if the server is not local",
    )
    trusted_proxies: tuple[str, ...] = setting(
        (), "addresses or networks of reverse proxies whose `X-Forwarded-For` and `-Proto` are trusted"
    )
    public_url: str = setting(
        "", "the address at which players reach the server, like `https://cards.example`; e-mails link to it"
    )
    smtp_host: str = setting("", "the SMTP server that sends e-mails; empty: none are sent")
    smtp_port: int = number(587, "the port of the SMTP server", 1, 65_535)
    smtp_user: str = setting("", "the user name at the SMTP server; empty: none")
    smtp_password: str = setting("", "the password of that user", secret=True)
    smtp_security: str = setting(
        "starttls", "the encryption of the connection to the SMTP server: `starttls`, `tls` or `none`"
    )
    mail_from: str = setting("", "the sender of e-mails, and the contact address given to push services")
    push_private: int = switch(0, "1: push services may be in the host's own network and without HTTPS, as in tests")
    bot_delay: float = number(
        0.6,
        "mean seconds that a bot's move takes, randomized so that its time reveals nothing; 0: no delay",
        0,
        3600,
    )
    bot_processes: int = number(
        2,
        "processes for bots and hints; if there are several, one is reserved for bots whose choices take less than 0.25 s "
        "on average",
        1,
        256,
    )
    bot_seconds: float = number(10.0, "seconds that a bot may think before its process is killed", 0.1, 3600)
    bot_memory_mb: int = number(1024, "megabytes each of those processes may use", LEAST_MEMORY_MB, MOST_MEMORY_MB)
    study_processes: int = number(2, "processes for reviews and puzzles", 1, 256)
    study_threads: int = number(2, "threads that each of these processes uses to search for a review", 1, 256)
    study_seconds: float = number(
        60.0, "seconds that one review or puzzle may take before its process is killed", 0.1, 86_400
    )
    review_seconds: float = number(
        8.0, "seconds for each review of a hand: one by the solver, and one with the player's information", 0.1, 3600
    )
    study_memory_mb: int = number(2048, "megabytes each of those processes may use", LEAST_MEMORY_MB, MOST_MEMORY_MB)
    keep_tables_days: int = days("days to keep unused tables; 0: forever")
    keep_hands_days: int = days("days to keep finished unrated hands; 0: forever")
    keep_guests_days: int = days("days to keep guests after their last hand; 0: forever")
    keep_chat_days: int = days("days to keep chat and reports of it; 0: forever")
    log_format: str = setting("text", "the format of log lines: `text` or `json`")
    log_level: str = setting("info", "the lowest level that is logged: `debug`, `info`, `warning` or `error`")
    log_requests: int = switch(
        0, "1: log every request by its route and its sender's address, without the values in its path"
    )
    metrics_token: str = setting(
        "", "at least 16 characters that Prometheus sends as its bearer token; empty: no metrics", secret=True
    )
    least_free_mb: int = number(
        64, "free megabytes on the disk of the data folder below which the server is unhealthy", 0, 100_000_000
    )
    backup_dir: str = setting(
        "", "the folder of backups (`*.gz`), for the metric with the time of the newest; empty: no such metric"
    )
    warm: int = switch(1, "0: compile nothing in advance")
    migrate: int = switch(1, "0: refuse a database with an older schema instead of migrating it at the start")
    idle_seconds: float = number(60.0, "seconds after which a table without connections is unloaded", 0, 86_400)
    send_queue: int = number(
        256, "queued messages at which a slow reader is dropped; it is also dropped at a megabyte of them", 1, 65_536
    )
    send_seconds: float = number(
        20.0, "time limit in seconds for sending a message, and for a client to read more of an answer", 0.1, 3600
    )
    request_seconds: float = number(
        15.0, "time limit in seconds for a request to arrive, and for a connection to begin one", 0.1, 3600
    )
    message_rate: float = rate(20.0, "messages a second from one connection, and commands a second from one player")
    message_burst: int = burst(60)
    chat_rate: float = rate(0.5, "chat messages and reactions a second from one player")
    chat_burst: int = burst(6)
    hint_rate: float = rate(0.5, "hints a second for one player, and for one address")
    hint_burst: int = burst(10)
    table_rate: float = rate(0.2, "new tables a second from one player, and from one address")
    table_burst: int = burst(30)
    join_rate: float = rate(0.5, "seats taken a second by one player, and from one address")
    join_burst: int = burst(30)
    read_rate: float = rate(
        50.0, "reads a second from one address: requests of the API that change nothing, and new sockets"
    )
    read_burst: int = burst(500)
    quick_rate: float = rate(
        2.0, "requests for a quick match or for the next deal of an event a second by one player, and from one address"
    )
    quick_burst: int = burst(60)
    quick_bots_after: float = number(15.0, "seconds after which bots fill a quick match", 0, 3600)
    daily_deals: int = number(8, "deals in the event of the day; 0: no event", 0, 64)
    daily_preset: str = setting("", "the game of the event of the day; empty: games rotate")
    study_rate: float = rate(
        1.0,
        "reviews and puzzle answers a second for one player, and for one address; turning points of hands count separately",
    )
    study_burst: int = burst(20)
    record_rate: float = rate(
        2.0, "records a second for one player, and for one address; profiles and rules of games count separately"
    )
    record_burst: int = burst(60)
    password_memory_mb: int = number(64, "megabytes for hashing a password, which slow down guessing", 1, 4096)
    sign_in_rate: float = rate(
        0.1, "attempts to sign in a second from one address, and from a browser known to the account"
    )
    sign_in_burst: int = burst(10)
    guess_rate: float = rate(0.05, "attempts a second to sign in to one account from all unknown browsers")
    guess_burst: int = burst(120)
    letter_rate: float = rate(0.0005, "confirmation e-mails a second, for each account and to each address")
    letter_burst: int = burst(5)
    sockets_each: int = number(64, "sockets from one address", 1, 1_000_000)
    connections_each: int = number(256, "connections from one address, except a trusted proxy's", 1, 1_000_000)
    most_connections: int = number(10_240, "connections in total; beyond that requests are answered 503", 1, 1_000_000)
    most_tables: int = number(10_000, "open tables in one process; beyond that idle ones are unloaded", 1, 1_000_000)

    def __post_init__(self) -> None:
        for f in fields(self):
            _check(f, getattr(self, f.name))
        for name, words in (("log_format", FORMATS), ("log_level", LEVELS), ("smtp_security", SMTP_SECURITY)):
            if getattr(self, name) not in words:
                raise CannotServe(f"{variable(name)} is one of {', '.join(words)}, not {shown(getattr(self, name))}")
        if self.metrics_token and len(self.metrics_token) < LEAST_TOKEN:
            raise CannotServe(f"DASAN_METRICS_TOKEN has at least {LEAST_TOKEN} characters")
        if self.public_url and not URL.fullmatch(self.public_url):
            raise CannotServe(f"DASAN_PUBLIC_URL is an address like https://cards.example, not {shown(self.public_url)}")
        if self.mail_from and not MAIL.fullmatch(self.mail_from):
            raise CannotServe(f"DASAN_MAIL_FROM is an e-mail address, not {shown(self.mail_from)}")
        if self.smtp_host and not (self.public_url and self.mail_from):
            raise CannotServe("e-mails need DASAN_PUBLIC_URL and DASAN_MAIL_FROM as well as DASAN_SMTP_HOST")
        for host in self.allowed_hosts:
            if not HOST.fullmatch(host) and not _is_address(host):
                raise CannotServe(
                    "DASAN_ALLOWED_HOSTS names hosts in ASCII, like cards.example, without scheme, brackets, port and path, not "
                    + shown(host)
                )
        for proxy in self.trusted_proxies:
            try:
                ipaddress.ip_network(proxy, strict=False)
            except ValueError:
                raise CannotServe(f"DASAN_TRUSTED_PROXIES names addresses or networks, not {shown(proxy)}") from None

    @property
    def contact(self) -> str:
        """An e-mail address that push services are given, as their protocol asks. Apple's refuses one at localhost."""
        url = URL.fullmatch(self.public_url)
        names = (host for host in self.allowed_hosts if "." in host and not _is_address(host))
        return self.mail_from or f"postmaster@{url[1] if url else next(names, 'localhost')}"

    @property
    def search_memory_mb(self) -> float:
        """Megabytes for the solver's search in a review process; the process needs the rest of its limit."""
        return self.study_memory_mb / 4

    @property
    def local(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host == "localhost" or (_is_address(self.host) and ipaddress.ip_address(self.host).is_loopback)

    def serves(self, host: str) -> bool:
        """Whether a request addressed to ``host`` (a name without port) is meant for this server.

        This protects a local server from DNS rebinding: another site's name that resolves to 127.0.0.1.

        >>> Settings().serves("localhost"), Settings().serves("evil.example")
        (True, False)
        """
        if self.allowed_hosts:
            return "*" in self.allowed_hosts or host.lower() in map(str.lower, self.allowed_hosts)
        return not self.local or host in {"localhost", "127.0.0.1", "::1", self.host}

    def trusts(self, address: str) -> bool:
        """Whether ``address`` is a trusted proxy's."""
        try:
            known = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(known in network for network in self.trusted_networks)

    @cached_property
    def trusted_networks(self) -> tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]:
        """The networks of ``trusted_proxies``; those of IPv4 also as a socket for both IPv6 and IPv4 names them.

        >>> settings = Settings(trusted_proxies=("192.0.2.0/24",))
        >>> len(settings.trusted_networks), settings.trusts("192.0.2.1"), settings.trusts("::ffff:192.0.2.1")
        (2, True, True)
        """
        given = [ipaddress.ip_network(proxy, strict=False) for proxy in self.trusted_proxies]
        mapped = [f"::ffff:{one.network_address}/{96 + one.prefixlen}" for one in given if one.version == 4]
        return (*given, *map(ipaddress.ip_network, mapped))

    @classmethod
    def read(cls, environment: Mapping[str, str] = os.environ, *, file: Path | None = None, **given: object) -> Settings:
        """The settings, by priority: those in ``given`` that are not None, the environment, the file.

        file: by default the one named by ``DASAN_SETTINGS``, if any.

        >>> Settings.read({"DASAN_BOT_DELAY": "0", "DASAN_ALLOWED_HOSTS": "a.example, b.example"})
        ... # doctest: +ELLIPSIS
        Settings(... allowed_hosts=('a.example', 'b.example'), ... bot_delay=0.0, ...)
        """
        named = environment.get(FILE)
        path = file or (_path("settings", named) if named else None)
        values = {} if path is None else dict(_in_file(path))
        for f in fields(cls):
            text = environment.get(variable(f.name))
            if text:
                values[f.name] = _read(f.name, str(f.type), text)
        values |= {name: value for name, value in given.items() if value is not None}
        return cls(**values)


SWITCHES = frozenset(f.name for f in fields(Settings) if "switch" in f.metadata)
"""The settings that are 0 or 1."""
KINDS = {"int": "a whole number", "float": "a number", "tuple[str, ...]": "a list of texts"}


def unknown_variables(environment: Mapping[str, str] = os.environ) -> list[str]:
    """The variables that are named like settings, but are none: perhaps misspelt, or settings of another version.

    >>> unknown_variables({"DASAN_BOT_DELY": "0", "DASAN_BOT_DELAY": "0", "DASAN_SETTINGS": "dasan.toml"})
    ['DASAN_BOT_DELY']
    """
    known = {FILE, *(variable(f.name) for f in fields(Settings))}
    return sorted(name for name in environment if name.startswith(variable("")) and name not in known)


def _in_file(path: Path) -> Iterator[tuple[str, Any]]:
    """The settings in a TOML file, by name."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise CannotServe(f"the settings in {path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise CannotServe(f"the settings in {path} are not TOML: {' '.join(str(error).split())}") from None
    known = {f.name: str(f.type) for f in fields(Settings)}
    for name, value in values.items():
        if name not in known:
            raise CannotServe(
                f"there is no setting {name!r} in {path}: names are as in bot_delay, for {variable('bot_delay')}"
            )
        yield name, _typed(path, name, known[name], value)


def _typed(path: Path, name: str, type_: str, value: object) -> object:
    """Convert a value of the file to the setting's type."""
    match type_, value:
        case (("int" | "float"), bool()) if name in SWITCHES:
            return int(value)
        case (("int" | "float"), bool()):
            pass
        case "int", int():
            return value
        case "float", int() | float():
            try:
                return float(value)
            except OverflowError:
                return math.inf
        case "Path", str() if value:
            return _path(name, value)
        case "str", str():
            return value
        case "tuple[str, ...]", list() if all(isinstance(part, str) for part in value):
            return tuple(value)
    raise CannotServe(f"{name} in {path} is {KINDS.get(type_, 'a text')}, not {shown(value)}")


def described() -> Iterator[tuple[str, str, str]]:
    """Every setting as (variable, default, purpose), for the documentation."""
    for f in fields(Settings):
        default = f.default
        written = "" if default in ("", ()) else str(default)
        if f.name == "data_dir":
            written = "the user's data folder"
        if f.name == "static_dir":
            written = "in the package"
        help = f.metadata["help"]
        if "bounds" in f.metadata:
            least, most = f.metadata["bounds"]
            help = f"{help} ({_plain(least)} to {_plain(most)})"
        yield variable(f.name), written, help


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return f"DASAN_{name.upper()}"


def _check(setting: Field[Any], value: object) -> None:
    """Refuse a value that a switch, a number with bounds, or any setting cannot have."""
    name = variable(setting.name)
    if setting.name in SWITCHES and value not in (0, 1):
        raise CannotServe(f"{name} is 0 or 1, not {shown(value)}")
    if "bounds" in setting.metadata:
        least, most = setting.metadata["bounds"]
        if not least <= value <= most:
            raise CannotServe(f"{name} is a number from {_plain(least)} to {_plain(most)}, not {shown(value)}")
    if "\0" in str(value):
        raise CannotServe(f"{name} contains a NUL")


def _plain(bound: float) -> str:
    """A bound as text.

    >>> _plain(0.0001), _plain(1_000_000)
    ('0.0001', '1,000,000')
    """
    return f"{bound:,}"


def _is_address(host: str) -> bool:
    """Whether a host is named by its IP address."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _path(name: str, text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise CannotServe(f"{variable(name)} names the home folder of an unknown user: {shown(text)}") from None


def _read(name: str, type_: str, text: str) -> object:
    try:
        match type_:
            case "Path":
                return _path(name, text)
            case "int":
                return int(text)
            case "float":
                return float(text)
            case "tuple[str, ...]":
                return tuple(part.strip() for part in text.split(",") if part.strip())
            case _:
                return text
    except ValueError:
        kind = "0 or 1" if name in SWITCHES else KINDS[type_]
        raise CannotServe(f"{variable(name)} is {kind}, not {shown(text)}") from None
