"""Passkeys: make one, sign in with one, remove one. A library checks the WebAuthn ceremonies.

A passkey belongs to the host name at which it was made; pages opened by an IP address cannot use passkeys.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import secrets
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from fastapi import Request, Response

from dasan.reasons import reason
from dasan.server.api.dependencies import IdentitiesHere, Player, StoreHere
from dasan.server.api.people import account_of, check_free, described, limited_account
from dasan.server.api.strict import router as strict_router
from dasan.server.connections.rate_limits import limit
from dasan.server.people.identity import new_player
from dasan.server.people.names import clean_label
from dasan.server.protocol.people import Me, PasskeyAnswer, PasskeyAsk, PasskeyListed, PasskeyOptions
from dasan.server.refusals import Refused
from dasan.server.store import Store
from dasan.server.store.passkeys import Challenge, LastWayIn, Passkey, passkey_id
from dasan.server.store.people import AccountChanged, Taken
from dasan.server.times import moment, now

if TYPE_CHECKING:
    from webauthn.registration.verify_registration_response import VerifiedRegistration

router = strict_router("/api/passkeys")

MOST_EACH = 20
WRONG = reason("passkey.wrong")
NOT_ACCEPTED = reason("passkey.refused")


@router.get("")
async def passkeys(store: StoreHere, player: Player) -> list[PasskeyListed]:
    """List the passkeys of this account."""
    return await _listed(store, player)


@router.post("/options", status_code=201)
async def begin_register(wanted: PasskeyAsk, request: Request, store: StoreHere, player: Player) -> PasskeyOptions:
    """Begin to make a passkey for the signed-in account, or for a new account by name."""
    from webauthn import generate_registration_options, options_to_json
    from webauthn.helpers.structs import (
        AuthenticatorSelectionCriteria,
        PublicKeyCredentialDescriptor,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    limit(request, "sign_ins", player)
    place = _place(request)
    one = player or new_player()
    person = await store.people.find(one)
    account = None
    if person is None or person.account is None:
        if wanted.name is None:
            raise Refused("malformed", reason("passkey.name"))
        await check_free(store, wanted.name, one)
        account = wanted.name
    known = await store.passkeys.of(one)
    if len(known) >= MOST_EACH:
        raise Refused("illegal", reason("passkey.most", n=MOST_EACH))
    name = account if account is not None else person.name if person is not None else ""
    made = generate_registration_options(
        rp_id=place,
        rp_name="dasan",
        user_name=name,
        user_id=sha256(f"dasan passkey {one}".encode()).digest(),
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED, user_verification=UserVerificationRequirement.PREFERRED
        ),
        exclude_credentials=[PublicKeyCredentialDescriptor(id=passkey.credential) for passkey in known],
    )
    ticket = secrets.token_urlsafe(24)
    await store.passkeys.ask(ticket, Challenge(made.challenge, "register", one, account), now())
    return PasskeyOptions(ticket=ticket, options=options_to_json(made))


@router.post("", status_code=201)
async def register(
    wanted: PasskeyAnswer, request: Request, response: Response, store: StoreHere, ids: IdentitiesHere, player: Player
) -> Me:
    """Store the new passkey. If it opens an account, this browser is signed in to it."""
    from webauthn import verify_registration_response

    limit(request, "sign_ins", player)
    asked = await _asked(store, wanted.ticket, "register")
    owner = asked.player
    # Only the player who began may finish. A guest without a cookie at the beginning gets one now.
    if owner is None or player not in (owner, None) or (player is None and asked.account is None):
        raise Refused("forbidden", NOT_ACCEPTED)

    def verify() -> VerifiedRegistration:
        return verify_registration_response(
            credential=wanted.credential,
            expected_challenge=asked.challenge,
            expected_rp_id=_place(request),
            expected_origin=_origin(request),
        )

    verified = await _checked(verify)
    moment_ = now()
    made = Passkey(
        id=passkey_id(verified.credential_id),
        credential=verified.credential_id,
        key=verified.credential_public_key,
        uses=verified.sign_count,
        player=owner,
        name=clean_label(wanted.label or "") or "Passkey",
        created=moment_,
        used=moment_,
    )
    try:
        await store.passkeys.add(made, asked.account, ids.session(request))
        person = await account_of(store, owner)
        if asked.account is not None:
            await ids.sign_in(request, response, person)
    except Taken:
        raise Refused("illegal", reason("account.taken")) from None
    except AccountChanged:
        raise Refused("forbidden", NOT_ACCEPTED) from None
    return described(owner, person)


@router.post("/sign-in/options", status_code=201)
async def begin_sign_in(request: Request, store: StoreHere) -> PasskeyOptions:
    """Begin to sign in; the browser offers its passkeys for this host."""
    from webauthn import generate_authentication_options, options_to_json

    limit(request, "sign_ins")
    made = generate_authentication_options(rp_id=_place(request))
    ticket = secrets.token_urlsafe(24)
    await store.passkeys.ask(ticket, Challenge(made.challenge, "sign-in"), now())
    return PasskeyOptions(ticket=ticket, options=options_to_json(made))


@router.post("/sign-in")
async def sign_in(
    wanted: PasskeyAnswer, request: Request, response: Response, store: StoreHere, ids: IdentitiesHere
) -> Me:
    """Sign this browser in with a passkey."""
    from webauthn import verify_authentication_response

    limit(request, "sign_ins")
    asked = await _asked(store, wanted.ticket, "sign-in")
    passkey = await store.passkeys.find(_credential_id(wanted.credential))
    person = None if passkey is None else await store.people.find(passkey.player)
    if passkey is None or person is None or person.banned:
        raise Refused("forbidden", WRONG)
    verified = await _checked(
        lambda: verify_authentication_response(
            credential=wanted.credential,
            expected_challenge=asked.challenge,
            expected_rp_id=_place(request),
            expected_origin=_origin(request),
            credential_public_key=passkey.key,
            credential_current_sign_count=passkey.uses,
        )
    )
    try:
        if not await store.passkeys.use(passkey, verified.new_sign_count, now()):
            raise AccountChanged
        await ids.sign_in(request, response, person)
    except AccountChanged:
        raise Refused("forbidden", WRONG) from None
    return described(person.id, person)


@router.post("/{passkey}/remove")
async def remove(passkey: str, request: Request, store: StoreHere, player: Player) -> list[PasskeyListed]:
    """Remove a passkey and list the others. The last passkey of an account without a password cannot be removed."""
    person = await limited_account(request, store, player, "sign_ins")
    try:
        if not await store.passkeys.remove(person.id, passkey):
            raise Refused("not-found", reason("passkey.none"))
    except LastWayIn:
        raise Refused("illegal", reason("passkey.last")) from None
    return await _listed(store, player)


async def _listed(store: Store, player: str | None) -> list[PasskeyListed]:
    passkeys = () if player is None else await store.passkeys.of(player)
    return [
        PasskeyListed(id=one.id, name=one.name, created=moment(one.created), used=moment(one.used)) for one in passkeys
    ]


async def _asked(store: Store, ticket: str, purpose: str) -> Challenge:
    asked = await store.passkeys.answer(ticket, now())
    if asked is None or asked.purpose != purpose:
        raise Refused("not-found", reason("passkey.late"))
    return asked


async def _checked(verify: Any) -> Any:
    """Verify an answer with the library, off the event loop. ``Refused``, always with the same sentence: it is not
    valid.
    """
    try:
        return await asyncio.to_thread(verify)
    except Exception:
        # For bad input the library raises its own errors and its parsers'.
        raise Refused("forbidden", NOT_ACCEPTED) from None


def _credential_id(text: str) -> bytes:
    from webauthn import base64url_to_bytes

    try:
        return base64url_to_bytes(json.loads(text)["rawId"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Refused("malformed", "that is not a passkey") from None


def _place(request: Request) -> str:
    """The host name that passkeys belong to. ``Refused``: the page was opened by an IP address."""
    name = request.url.hostname or ""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        if name:
            return name
    raise Refused("illegal", reason("passkey.address"))


def _origin(request: Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc}"
