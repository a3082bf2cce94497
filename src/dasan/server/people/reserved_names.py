"""Names that nobody may choose, because others are known by them: bots, hosts, the reader of a page, and guests without a
name.
"""

from __future__ import annotations

from functools import cache

from dasan.bots import BOTS, CHARACTERS
from dasan.reasons import reason
from dasan.server.people.names import bare_form, keys, numbered
from dasan.server.refusals import Refused
from dasan.server.tables.chairs import NAMES

GUESTS = {"en": "Guest", "fr": "Invité", "zh-Hans": "游客", "zh-Hant": "訪客"}
"""The name of a guest without one, alone or with a number, in the languages of the page."""
GUEST = GUESTS["en"]
"""The one that tables show. Pages translate it."""
FORMERS = {"en": "Former player", "fr": "Ancien joueur", "zh-Hans": "已注销的玩家", "zh-Hant": "已刪除的玩家"}
"""The name of a deleted player in the languages of the page."""
FORMER = FORMERS["en"]
"""The one at tables and in hands. Pages translate it."""
RESERVED = (
    *("admin", "administrator", "root", "system", "server", "host", "moderator", "mod", "staff", "support", "official"),
    *("dasan", "bot", "me", "open", "everybody", "nobody", "spectator", "you", "vous", "你", "您"),
    *("hôte", "modérateur", "administrateur", "serveur"),
    *("管理员", "管理員", "系统", "系統", "服务器", "伺服器", "站长", "站長", "房主", "主持人", "客服", "官方"),
    *FORMERS.values(),
)
"""Reserved names: of those who run a server, of special words, and the words by which a page addresses its reader."""


def like_a_guests(name: str) -> bool:
    """Whether the name looks like that of a guest without one, in any language of the page.

    >>> like_a_guests("GUEST"), like_a_guests("invité 2"), like_a_guests("Guests")
    (True, True, False)
    """
    return not keys(name).isdisjoint(_keys_of_guests())


@cache
def _bare_forms(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(bare_form, names))


@cache
def _keys_of_bots() -> frozenset[str]:
    return frozenset(key for name in (*NAMES, *(one.name for one in CHARACTERS)) for key in keys(name))


@cache
def _keys_of_guests() -> frozenset[str]:
    return frozenset(
        key for guest in GUESTS.values() for name in (guest, f"{guest} 1", *numbered(guest)) for key in keys(name)
    )


def check_reserved(name: str, *, program: bool = False) -> None:
    """``Refused``: the name is like a bot's id or name, or one of ``RESERVED``.

    program: whether the seat is a program's, which may have a bot's name.
    """
    form = bare_form(name)
    if form in _bare_forms(RESERVED) or (
        not program and (form in _bare_forms(tuple(BOTS)) or keys(name) & _keys_of_bots())
    ):
        raise Refused("illegal", reason("name.reserved"))
