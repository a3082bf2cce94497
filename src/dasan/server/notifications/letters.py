"""Letters: notifications by e-mail, through the host's SMTP server."""

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
"""Seconds that one step may take."""
SAID_NO = range(500, 600)
"""Answers of an SMTP server that another try does not change."""


class Unsent(Exception):
    """The letter was not sent; another try may help."""


class Letters:
    """Writes and sends letters; ``possible`` only where the host has set an SMTP server."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def possible(self) -> bool:
        """Whether the host has set an SMTP server."""
        return bool(self._settings.smtp_host)

    def letter(self, one: Outgoing) -> EmailMessage:
        """The letter of a notification, in its player's language."""
        base = self._settings.public_url.rstrip("/")
        title, text = written(one.kind, one.language, one.names, one.title)
        texts = TEXTS.get(one.language, TEXTS["en"])
        letter = EmailMessage()
        sender = self._settings.mail_from
        letter["From"] = Address("dasan", addr_spec=sender)
        letter["To"] = one.address or ""
        letter["Subject"] = title
        letter["Date"] = format_datetime(datetime.fromtimestamp(one.at / 1000, UTC))
        # A second copy of one letter has the same id: mail programs show it once.
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
        """Send the letter of a notification. False: its address takes no letters. ``Unsent``: another try may help."""
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
    """An e-mail address as it is stored. ``Refused`` if it is none."""
    from email_validator import EmailNotValidError, validate_email

    try:
        return validate_email(text.strip(), check_deliverability=False, allow_smtputf8=False).normalized
    except (EmailNotValidError, HeaderParseError):
        raise Refused("malformed", reason("mail.address")) from None
