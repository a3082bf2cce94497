"""Measure the bots' strength in contests over duplicate deals, and write the page of results.

    python benchmarks/strength.py --out strength.jsonl --page docs/guide/strength.md

The file stores outcomes, so that a second run plays only the missing deals. --only names the games to play; --skip-play
writes the page from stored outcomes. Rows of contests that are not in the file and sections of other measurements stay
in the page. --cards also writes the networks' earnings into their model cards.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from textwrap import fill

import dasan
from dasan.arena.contest import Contest, OutcomeFile, interval, run
from dasan.arena.ladder import ladders
from dasan.arena.outcome import Outcome, win_rate
from dasan.arena.ratings import SCALE, blocks_of, difference, half_width, leads, without
from dasan.bench.figures import cells, row, sections
from dasan.bots.net import NetBot
from dasan.networks.trained import WEIGHTS, catalogue, changed, fitted
from dasan.ruleset.policies import OptionValue
from dasan.ruleset.rules import Rules

SEED = 7000
CHARLESWORTH: dict[str, OptionValue] = {
    "triples": True,
    "two_pairs": True,
    "fours": True,
    "four_plus_one": False,
    "straights": "hong-kong",
    "scoring": "cards",
    "guard": "off",
}
"""The rules of Henry Charlesworth's network for Big Two (arXiv:1808.10442), as options of `big-two`."""


GLANCE = "At a glance"
"""The title of the section that compares the games."""
COMPARED = ("search", "net", "strong")
"""The bots of that section."""
LADDER = "On the ladder"
"""The title of the section of ratings."""


@dataclass(frozen=True)
class Contests:
    """A game and the contests in it: (one, among, deals)."""

    title: str
    preset: str
    contests: tuple[tuple[str, str, int], ...]
    options: dict[str, OptionValue] = field(default_factory=dict)

    def command(self, a: str, b: str, deals: int) -> str:
        """The command that plays one contest again."""
        options = "".join(
            f" -o {name}={('on' if value else 'off') if isinstance(value, bool) else value}"
            for name, value in self.options.items()
        )
        return f"dasan arena {a} {b} --game {self.preset}{options} --deals {deals} --seed {SEED}"


def levels(deals: int, last: int) -> tuple[tuple[str, str, int], ...]:
    """Contests of each level among the one below. last: the number of deals for level 8, the slowest."""
    return tuple((f"level-{n + 1}", f"level-{n}", last if n == 7 else deals) for n in range(1, 8))


GAMES = {
    "charlesworth": Contests(
        "Big Two, Charlesworth's rules",
        "big-two",
        (
            ("net", "low", 400),
            ("net", "shed", 400),
            ("greedy", "low", 60),
            ("greedy", "shed", 60),
            ("net", "greedy", 400),
            ("net", "search", 60),
            ("search", "greedy", 60),
            ("strong", "low", 40),
            ("strong", "shed", 40),
            ("strong", "greedy", 40),
            ("strong", "net", 100),
        ),
        CHARLESWORTH,
    ),
    "big-two": Contests(
        "Big Two",
        "big-two",
        (
            ("net", "greedy", 120),
            ("net", "search", 60),
            ("search", "greedy", 60),
            ("strong", "greedy", 30),
            *levels(200, 60),
        ),
    ),
    "big-three": Contests(
        "Big Three",
        "big-three",
        (
            ("net", "greedy", 1000),
            ("net", "search", 300),
            ("search", "greedy", 300),
            ("strong", "search", 60),
            *levels(600, 80),
        ),
    ),
    "big-three-4p": Contests(
        "Big Three, four players",
        "big-three-4p",
        (
            ("net", "greedy", 3000),
            ("net", "thrifty", 200),
            ("net", "search", 1000),
            ("search", "greedy", 60),
            ("strong", "search", 60),
            *levels(300, 40),
        ),
    ),
    "dou-dizhu": Contests(
        "Dou Dizhu",
        "dou-dizhu",
        (
            ("net", "greedy", 1000),
            ("net", "thrifty", 300),
            ("net", "search", 30),
            ("search", "greedy", 40),
            ("strong", "net", 20),
            *levels(200, 40),
        ),
    ),
    "winner": Contests(
        "Winner, four players",
        "winner",
        (
            ("net", "greedy", 100),
            ("net", "search", 30),
            ("search", "greedy", 60),
            ("strong", "greedy", 30),
            *levels(150, 40),
        ),
    ),
    "winner-3": Contests(
        "Winner, three players",
        "winner",
        (("net", "greedy", 150), ("net", "search", 40), ("strong", "greedy", 30)),
        {"players": 3},
    ),
    "winner-6": Contests(
        "Winner, six players",
        "winner",
        (("net", "greedy", 80), ("net", "search", 72), ("strong", "greedy", 30)),
        {"players": 6},
    ),
    "zheng-shangyou": Contests("Zheng Shangyou", "zheng-shangyou", (("net", "greedy", 150), ("net", "search", 30))),
    "zheng-shangyou-3": Contests(
        "Zheng Shangyou, three players", "zheng-shangyou", (("net", "greedy", 150),), {"players": 3}
    ),
    "wa-keng": Contests("Wa Keng", "wa-keng", (("net", "greedy", 400), ("net", "search", 160))),
    "wa-keng-4": Contests("Wa Keng, four players", "wa-keng-4", (("net", "greedy", 400), ("net", "search", 57))),
    "denexa": Contests(
        "Big Three, preset `big-three-denexa`", "big-three-denexa", (("net", "greedy", 400), ("net", "search", 40))
    ),
    "fr": Contests("Big Three, preset `big-three-fr`", "big-three-fr", (("net", "greedy", 400), ("net", "search", 90))),
    "winner-bomb": Contests(
        "Winner with bombs of four", "winner-bomb", (("net", "greedy", 100), ("net", "search", 120))
    ),
    "hong-kong": Contests("Big Two of Hong Kong", "big-two-hong-kong", (("net", "greedy", 400), ("net", "search", 550))),
    "taiwan": Contests("Big Two of Taiwan", "big-two-taiwan", (("net", "greedy", 400), ("net", "search", 100))),
    "philippines": Contests(
        "Big Two of the Philippines", "big-two-philippines", (("net", "greedy", 400), ("net", "search", 240))
    ),
    "indonesia": Contests("Big Two of Indonesia", "big-two-indonesia", (("net", "greedy", 400), ("net", "search", 120))),
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the file of outcomes")
    parser.add_argument("--page", type=Path, help="the page to write")
    parser.add_argument("--only", nargs="*", choices=list(GAMES), help="games to play (default: all)")
    parser.add_argument("--processes", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--cards", action="store_true", help="write what the networks earned into their model cards")
    parser.add_argument("--skip-play", action="store_true", help="play nothing")
    chosen = parser.parse_args(arguments)
    outcome_file = OutcomeFile(chosen.out)
    for name, game in GAMES.items():
        if chosen.skip_play or (chosen.only and name not in chosen.only):
            continue
        for a, b, deals in game.contests:
            contest = Contest(dasan.rules(game.preset, **game.options), a, b, deals, SEED)
            outcomes = run(
                contest,
                processes=chosen.processes,
                known=outcome_file.of(contest),
                keep=lambda one, contest=contest: outcome_file.keep(contest, one),  # type: ignore[misc]
            )
            print(f"{name}: {a} among {b} {interval(contest.rules, outcomes)}", flush=True)
    if chosen.page is not None:
        earlier = chosen.page.read_text(encoding="utf-8") if chosen.page.exists() else ""
        chosen.page.write_text(page(OutcomeFile(chosen.out), earlier), encoding="utf-8")
    if chosen.cards:
        write_cards(OutcomeFile(chosen.out))


def write_cards(kept: OutcomeFile) -> None:
    """Write each network's earnings by its own rules, the opponents and the deals into its model card. Rows of contests
    without stored outcomes stay.
    """
    for one in catalogue():
        strength = {(row.get("game"), row["among"].split(" ")[0]): row for row in one.card.get("strength", [])}
        for game in GAMES.values():
            rules = dasan.rules(game.preset, **game.options)
            plays = fitted(rules)
            if plays is None or plays.trained.name != one.name or not plays.exact:
                continue
            for a, b, deals in game.contests:
                newest = _measured(kept, Contest(rules, a, b, deals, SEED))
                if a == "net" and newest is not None and newest[0][0] == NetBot.version:
                    outcomes = list(newest[1].values())
                    estimate = interval(rules, outcomes)
                    named = {"game": changed(rules)} if one.also else {}
                    strength[named.get("game"), b] = {
                        **named,
                        "among": " ".join((b, newest[0][1])),
                        "deals": len(outcomes),
                        "seed": SEED,
                        "a_hand": [round(x, 3) for x in (estimate.mean, estimate.low, estimate.high)],
                    }
        file = Path(str(WEIGHTS)) / f"{one.name}.json"
        file.write_text(json.dumps({**one.card, "strength": [*strength.values()]}, indent=2) + "\n", encoding="utf-8")


def _measured(kept: OutcomeFile, contest: Contest) -> tuple[tuple[str, str], dict[int, Outcome]] | None:
    """`OutcomeFile.newest`, if all deals of the contest were played."""
    newest = kept.newest(contest)
    return newest if newest is not None and len(newest[1]) == contest.deals else None


def page(kept: OutcomeFile, earlier: str = "") -> str:
    """The page of all contests with stored outcomes. earlier: the current page, whose other rows and sections stay."""
    out = [
        "# How strong the bots are\n",
        "Generated by `benchmarks/strength.py`. One player of a bot sits among players of another, and plays each deal once",
        "from every seat. A deal is one sample, and brackets are 95 % intervals. *A hand* is the mean payment in units; in",
        "Winner it is a score by place, from 1 for the first to -1 for the last. Equal bots would earn 0. *Wins* is the share",
        "of hands that the one player, or its side, wins. *Points* are rating points: with a lead of 400 it earns more than the",
        "other in ten hands for each hand in which it earns less; equal results do not count. With fewer than 30 deals their",
        "intervals are too narrow. *Ms a move* is the one player's thinking time, on one core of a shared two-core server, under",
        "different loads on different days. A row names the [versions](#versions) of the bots that were measured.\n",
    ]
    before = sections(earlier)
    tables: list[str] = []
    glance: list[str] = []
    for game in GAMES.values():
        rows = []
        rules = dasan.rules(game.preset, **game.options)
        stay = _rows(before.get(game.title, ""))
        for a, b, deals in game.contests:
            newest = _measured(kept, Contest(rules, a, b, deals, SEED))
            if newest is not None:
                alone, among = (f"`{name}` {version}" for name, version in zip((a, b), newest[0], strict=True))
                rows.append(_row(rules, alone, among, list(newest[1].values())))
            elif (a, b) in stay:
                rows.append(stay[a, b])
        if rows:
            glance.append(at_a_glance(game.title, _rows("\n".join(rows))))
            unit = "a hand" if rules.pays else "a hand, by place"
            tables.append(f"## {game.title}\n")
            tables.append(_filled(f"`{game.command('A', 'B', 100)}`; the deals are numbered from {SEED}.") + "\n")
            tables.append(f"| one | among | deals | {unit} | 95 % | wins | points | 95 % | ms a move |")
            tables.append("|---|---|---|---|---|---|---|---|---|")
            tables += [*rows, ""]
    if glance:
        out.append(f"## {GLANCE}\n")
        out.append(
            "What a bot earns a hand among players of another, from the tables below, which name the versions.\n"
            "*Not significant*: the interval includes 0.\n"
        )
        out += [row(("game", *(f"`{bot}`" for bot in COMPARED))), "|---" * (len(COMPARED) + 1) + "|", *glance, ""]
    out += tables
    out.append(ladder(before.get(LADDER, "")))
    written = ["", GLANCE, *(game.title for game in GAMES.values()), LADDER, "Networks"]
    out += [f"## {title}\n\n{text}" for title, text in before.items() if title not in written]
    out.append("## Networks\n")
    out.append(
        "Each was trained for the game in its name, those with `all` in their names for five each. A\n"
        "network may also play by rules that differ in combinations or payments ([which one plays](bots.md#networks)).\n"
    )
    out.append("| network | hands | moves with a choice, millions | processor hours | data |\n|---|---|---|---|---|")
    for one in catalogue():
        card = one.card
        out.append(
            f"| `{one.name}` | {card['hands']:,} | {card['decisions'] / 1e6:.1f} | {card['processor_hours']:.2f} |"
            f" {card['data']} |"
        )
    out += ["", *(_filled(f"- `{one.name}`: {one.card['note']}") for one in catalogue() if one.card.get("note"))]
    out.append("\n`dasan train --like NAME --out DIR` trains one with the same configuration.")
    return "\n".join(out) + "\n"


def _filled(text: str) -> str:
    """`text` in lines as long as the page's; those after the first of a list's item are indented."""
    indent = "  " if text.startswith("- ") else ""
    return fill(text, 138, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def ladder(section: str) -> str:
    """The section of ratings: the rungs of `dasan evaluate`, and the rows of other bots in the present `section`."""
    rungs = {
        (game, rung.name): (rung.points, f"| {game} | `{rung.name}` {rung.version} | {rung.points:+.0f} | rung | |")
        for game, one in ladders().items()
        for rung in one.rungs
    }
    rows = dict(rungs)
    for line in section.splitlines():
        if line.startswith("| ") and "`" in line:
            game, bot, points, *_ = (cell.strip() for cell in line.strip("|").split("|"))
            rows.setdefault((game, bot.split("`")[1]), (float(points), line))
    number = next(iter(ladders().values())).number
    games = list(ladders())
    ordered = sorted(rows.items(), key=lambda row: (games.index(row[0][0]), row[1][0]))
    lines = [line for _, (_, line) in ordered]
    head = f"## {LADDER}\n\nPoints on ladder {number} of [`dasan evaluate`](evaluate.md): `greedy` has 0 in every game, and the"
    text = "points of a rung never change. [How to submit a row](evaluate.md#submit-a-row)."
    table = "| game | bot | points | 95 % | check it |\n|---|---|---|---|---|"
    return "\n".join([head, text, "", table, *lines, ""])


def at_a_glance(title: str, rows: dict[tuple[str, str], str]) -> str:
    """The row of a game: what each bot of `COMPARED` earns, from the `rows` of the game's table."""
    found = {
        bot: [
            f"{_shown(line)} among `{other}`"
            for (one, other), line in rows.items()
            if one == bot and other in ("greedy", *COMPARED)
        ]
        for bot in COMPARED
    }
    return row((title, *(", ".join(found[bot]) for bot in COMPARED)))


def _shown(line: str) -> str:
    mean, limits = cells(line)[3:5]
    low, high = map(float, limits.strip("[]").split(", "))
    return mean if low > 0 or high < 0 else f"{mean} (not significant)"


def _rows(section: str) -> dict[tuple[str, str], str]:
    """The rows of a section's table by the names of the two bots."""
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    return {(names[1], names[3]): row for row in rows for names in [row.split("`")]}


def _row(rules: Rules, a: str, b: str, outcomes: Sequence[Outcome]) -> str:
    estimate = interval(rules, outcomes)
    points, low, high = _points(outcomes)
    moves, seconds = sum(one.moves[0] for one in outcomes), sum(one.seconds[0] for one in outcomes)
    return (
        f"| {a} | {b} | {len(outcomes)} | {estimate.mean:+.3f} | [{estimate.low:+.3f}, {estimate.high:+.3f}] |"
        f" {win_rate(outcomes):.1%} | {points:+.0f} | [{low:+.0f}, {high:+.0f}] | {1000 * seconds / max(1, moves):.1f} |"
    )


def _points(outcomes: Sequence[Outcome]) -> tuple[float, float, float]:
    """Rating points between the two, with the interval of `half_width`."""
    above, below = leads(outcomes)
    blocks = blocks_of([outcomes])
    parts = [difference(*leads(without(outcomes, block, blocks))) for block in range(blocks)]
    half = half_width(parts, SCALE * sqrt(1 / max(above, 0.5) + 1 / max(below, 0.5)))
    whole = difference(above, below)
    return whole, whole - half, whole + half


if __name__ == "__main__":
    main()
