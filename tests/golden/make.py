"""Write the golden files anew: `python -m tests.golden.make`. Look at the difference before you commit it."""

from __future__ import annotations

import pytest
from tests.golden.playing import annotated, body
from tests.golden.test_options import PINNED, changes, digest, same_cards
from tests.golden.test_playthroughs import HERE

import dasan

SEEDS = 4000


def main() -> None:
    for preset in dasan.PRESETS:
        (HERE / f"{preset}.jsonl").write_text(annotated(dasan.rules(preset), 7))
    rows = []
    with pytest.MonkeyPatch.context() as patch:
        same_cards(patch)
        plain: dict[tuple[str, int], str] = {}
        for preset, option, value in changes():
            rules = dasan.rules(preset, **{option: value})
            for seed in range(SEEDS):
                if (preset, seed) not in plain:
                    plain[preset, seed] = digest(body(dasan.rules(preset), seed))
                changed = digest(body(rules, seed))
                if changed != plain[preset, seed]:
                    rows.append(f"{preset} {option} {value} {seed} {changed} {plain[preset, seed]}")
                    print(rows[-1], flush=True)
                    break
            else:
                raise SystemExit(f"{preset}: {option}={value} changes nothing in {SEEDS} sessions")
    PINNED.write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
