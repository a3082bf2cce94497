"""Write a record, check it, forge it, check it again."""

from __future__ import annotations

import dasan
from dasan.records.verify import verify


def main() -> None:
    session = dasan.session(dasan.rules("winner"), seed=7)
    bot = dasan.bot("greedy")
    while (seat := session.state.to_act) is not None:
        session = session.play(bot.choose(session.state.view(seat)))
    text = session.record()
    print(*verify(text).statements, sep="\n")

    forged = text.replace('"next_dealer":', '"next_dealer":1', 1)
    try:
        verify(forged)
    except dasan.BadRecord as error:
        print("forged:", error)


if __name__ == "__main__":
    main()
