"""Notifications by e-mail, through the host's SMTP server."""

from __future__ import annotations

from datetime import UTC, datetime
from email.errors import HeaderParseError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from hashlib import sha256

import aiosmtplib

from dasan.reasons import reason
from dasan.server.notifications.words import TEXTS, written
from dasan.server.refusals import Refused
from dasan.server.settings import Settings
from dasan.server.store.notifications import Outgoing

ANSWERS_IN = 20.0
"""The time limit of one step in seconds."""
SAID_NO = range(500, 600)
"""SMTP status codes for which a retry is useless."""


class Unsent(Exception):
    """The e-mail was not sent; a retry may help."""


class Letters:
    """Writes and sends e-mails; ``possible`` only if the host has set an SMTP server."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def possible(self) -> bool:
        """Whether the host has set an SMTP server."""
        return bool(self._settings.smtp_host)

    def letter(self, one: Outgoing) -> EmailMessage:
        """The e-mail of a notification, in its player's language."""
        base = self._settings.public_url.rstrip("/")
        title, text = written(one.kind, one.language, one.names, one.title)
        texts = TEXTS.get(one.language, TEXTS["en"])
        letter = EmailMessage()
        sender = self._settings.mail_from
        letter["From"] = Address("dasan", addr_spec=sender)
        letter["To"] = one.address or ""
        letter["Subject"] = title
        letter["Date"] = format_datetime(datetime.fromtimestamp(one.at / 1000, UTC))
        # A second copy has the same id, so that mail programs show it once.
        name = sha256(f"{one.player} {one.kind} {one.subject} {one.at}".encode()).hexdigest()[:32]
        letter["Message-ID"] = f"<{name}@{sender.partition('@')[2]}>"
        letter["Auto-Submitted"] = "auto-generated"
        body = f"{text}\n\n{base}{one.path}\n"
        if one.kind != "confirm":
            letter["List-Unsubscribe"] = f"<{base}/api/letters/{one.token}/unsubscribe>"
            letter["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
            body += f"\n--\n{texts['unsubscribe']}\n{base}/letters/{one.token}\n"
        letter.set_content(body)
        letter["Content-Language"] = one.language
        return letter

    async def send(self, one: Outgoing) -> bool:
        """Send the e-mail of a notification. False: its address rejects mail. ``Unsent``: a retry may help."""
        settings = self._settings
        try:
            await aiosmtplib.send(
                self.letter(one),
                hostname=settings.smtp_host,
                port=settings.smtp_port,
                username=settings.smtp_user or None,
                password=settings.smtp_password or None,
                use_tls=settings.smtp_security == "tls",
                start_tls=settings.smtp_security == "starttls",
                timeout=ANSWERS_IN,
            )
        except aiosmtplib.SMTPRecipientsRefused as refused:
            if all(error.code in SAID_NO for error in refused.recipients):
                return False
            raise Unsent from None
        except (aiosmtplib.SMTPException, OSError, TimeoutError) as error:
            raise Unsent from error
        return True


def clean_address(text: str) -> str:
    """The stored form of an e-mail address, in ASCII: few SMTP servers take other letters. ``Refused``: it is not an e-mail
    address.

    >>> clean_address(" Ann@bücher.de ")
    'Ann@xn--bcher-kva.de'
    """
    from email_validator import EmailNotValidError, validate_email

    try:
        checked = validate_email(text.strip(), check_deliverability=False, allow_smtputf8=False)
        return checked.ascii_email or checked.normalized
    except (EmailNotValidError, HeaderParseError):
        raise Refused("malformed", reason("mail.address")) from None
