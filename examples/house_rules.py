"""What a house rule changes: the same five cards under three customs of Big Two."""

from __future__ import annotations

import dasan


def main() -> None:
    cards = "JD QD KD AC 2S"
    for straights in ("ace-low-or-high", "hong-kong", "taiwan"):
        rules = dasan.rules("big-two", straights=straights)
        try:
            print(f"{straights}: {cards} is a {rules.combination(cards).kind}")
        except dasan.IllegalPlay as error:
            print(f"{straights}: {error}")


if __name__ == "__main__":
    main()
