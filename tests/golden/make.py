"""Rewrite the golden files: `python -m tests.golden.make`. Review the diff before you commit it."""

from __future__ import annotations

import pytest
from tests.golden import HERE, narrate
from tests.golden.playing import annotated, body
from tests.golden.test_options import PINNED, changes, digest, pairs, rules_of, same_cards

import dasan

SEEDS = 5000
"""The most sessions played for an option, from its pinned seed on, until one changes."""


def main() -> None:
    for preset in dasan.PRESETS:
        (HERE / f"{preset}.jsonl").write_text(annotated(dasan.rules(preset), 7))
        told = narrate.annotated(narrate.play(preset))
        (HERE / "playthroughs" / f"{preset}.jsonl").write_text(told, encoding="utf-8")
    rows = []
    known = {(p, o, v): seed for p, o, v, seed, *_ in pairs()}
    with pytest.MonkeyPatch.context() as patch:
        same_cards(patch)
        plain: dict[tuple[dasan.Rules, int], str] = {}
        for preset, option, value in changes():
            rules, usual = rules_of(preset, option, value), rules_of(preset, option, None)
            first = known.get((preset, option, str(value)), 0)
            for seed in range(first, first + SEEDS):
                if (usual, seed) not in plain:
                    plain[usual, seed] = digest(body(usual, seed))
                changed = digest(body(rules, seed))
                if changed != plain[usual, seed]:
                    rows.append(f"{preset} {option} {value} {seed} {changed} {plain[usual, seed]}")
                    print(rows[-1], flush=True)
                    break
            else:
                raise SystemExit(f"{preset}: {option}={value} changes nothing in {SEEDS} sessions")
    PINNED.write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
