"""The texts of notifications in each language of the page. None of them says anything about cards."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from dasan.server.people.reserved_names import FORMER, FORMERS, GUEST, GUESTS

Kind: TypeAlias = Literal["turn", "invitation", "event", "confirm"]
"""turn: it is the player's turn in a slow game. invitation: somebody invites the player to a table. event: an event
with a reminder begins. confirm: the confirmation of an e-mail address.
"""
LANGUAGES = ("en", "fr", "zh-Hans", "zh-Hant")
UNNAMED = re.compile(rf"^{GUEST}(?= \d+$|$)")
"""The name of a guest without one, with or without a number."""

TEXTS: dict[str, dict[str, str]] = {
    "en": {
        "turn": "Your turn",
        "turn.about": "It is your turn at the table with {names}.",
        "turn.about.alone": "It is your turn at your table.",
        "invitation": "Invitation to a table",
        "invitation.about": "{names} invites you to a table.",
        "event": "{title} has begun",
        "daily": "Deal of the day",
        "event.about": "The event has begun: its deals can be played now.",
        "confirm": "E-mails from dasan",
        "confirm.about": "The account {names} asked for e-mails to this address. To confirm, open the link within a day. "
        "If you did not ask for this, do nothing: no other e-mail will follow.",
        "list": ", ",
        "unsubscribe": "To stop these e-mails, open:",
    },
    "fr": {
        "turn": "À vous de jouer",
        "turn.about": "C’est votre tour à la table avec {names}.",
        "turn.about.alone": "C’est votre tour à votre table.",
        "invitation": "Invitation à une table",
        "invitation.about": "{names} vous invite à une table.",
        "event": "{title} a commencé",
        "daily": "La donne du jour",
        "event.about": "Le tournoi a commencé\u00a0: ses donnes peuvent maintenant être jouées.",
        "confirm": "Courriels de dasan",
        "confirm.about": "Le compte {names} demande des courriels à cette adresse. Pour confirmer, ouvrez le lien dans les "
        "24 heures. Si vous n’avez rien demandé, ne faites rien\u00a0: aucun autre courriel ne suivra.",
        "list": ", ",
        "unsubscribe": "Pour ne plus recevoir de courriels, ouvrez\u00a0:",
    },
    "zh-Hans": {
        "turn": "轮到你了",
        "turn.about": "与{names}的牌桌轮到你了。",
        "turn.about.alone": "你的牌桌轮到你了。",
        "invitation": "牌桌邀请",
        "invitation.about": "{names}邀请你上桌。",
        "event": "“{title}”已开始",
        "daily": "每日同牌赛",
        "event.about": "比赛已经开始，现在可以打牌了。",
        "confirm": "dasan 邮件通知",
        "confirm.about": "账号 {names} 希望向此地址发送邮件通知。请在一天内打开链接确认。"
        "如果不是你本人的请求，请忽略：不会再有其他邮件。",
        "list": "、",
        "unsubscribe": "不想再收到邮件，请打开：",
    },
    "zh-Hant": {
        "turn": "輪到你了",
        "turn.about": "與{names}的牌桌輪到你了。",
        "turn.about.alone": "你的牌桌輪到你了。",
        "invitation": "牌桌邀請",
        "invitation.about": "{names}邀請你上桌。",
        "event": "「{title}」已開始",
        "daily": "每日同牌賽",
        "event.about": "比賽已經開始，現在可以打牌了。",
        "confirm": "dasan 郵件通知",
        "confirm.about": "帳號 {names} 希望向此地址寄送郵件通知。請在一天內開啟連結確認。"
        "如果不是你本人的請求，請忽略：不會再有其他郵件。",
        "list": "、",
        "unsubscribe": "不想再收到郵件，請開啟：",
    },
}


def written(kind: Kind, language: str, names: Sequence[str] = (), title: str = "") -> tuple[str, str]:
    """(title, text) of a notification. names: of the people whom it is about. title: of the event; empty for the deal
    of the day.

    >>> written("turn", "en", ["Ann", "Bo"])
    ('Your turn', 'It is your turn at the table with Ann, Bo.')
    >>> written("turn", "fr", ["Guest 2"])[1]
    'C’est votre tour à la table avec Invité 2.'
    >>> written("event", "en")[0]
    'Deal of the day has begun'
    """
    if language not in TEXTS:
        language = "en"
    texts = TEXTS[language]
    about = texts["turn.about.alone"] if kind == "turn" and not names else texts[f"{kind}.about"]
    called = (FORMERS[language] if name == FORMER else UNNAMED.sub(GUESTS[language], name) for name in names)
    joined = texts["list"].join(called)
    return texts[kind].replace("{title}", title or texts["daily"]), about.replace("{names}", joined)
