"""The allies and opponents of a seat, as far as it knows them."""

from __future__ import annotations

from dasan.play.view import View


def enmity(view: View) -> tuple[float, ...]:
    """For every seat, from 1 (opponent) to -1 (ally); values between mean that the side is not known yet.

    The seat itself, and seats that are out, have 0. In four-player Big Three the partner stays hidden until the
    called card is played (B4.04): until then each of the bidder's three opponents is a friend with probability 1/3,
    and those who know that they are not the partner give the other two 0.
    """
    me = view.seat
    out = []
    for seat, held in enumerate(view.hand_sizes):
        if seat == me or held == 0:
            out.append(0.0)
        elif view.bidder is None:
            out.append(1.0)
        elif view.rules.call is None or view.partner is not None:
            side = (view.bidder, view.partner)
            out.append(-1.0 if (seat in side) == (me in side) else 1.0)
        elif me == view.bidder:
            out.append(1 / 3)
        else:
            out.append(1.0 if seat == view.bidder else 0.0)
    return tuple(out)
