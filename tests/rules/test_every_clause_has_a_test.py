"""A clause without a test is not implemented: every id in the rule book is in the name of a test in this folder."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from tests.golden.test_options import changes, rules_of

import dasan
from dasan.ruleset.clauses import load

HERE = Path(__file__).parent
BOOK = HERE.parents[1] / "docs" / "rules"
START = re.compile(r"^\*\*([A-Z0-9]+\.\d+)\*\*", re.MULTILINE)
CHAPTER = re.compile(r"^\| \[.*\| ([A-Z0-9]+)\.01 to \1\.(\d\d)", re.MULTILINE)
COUNTS = {chapter: int(last) for chapter, last in CHAPTER.findall((BOOK / "index.md").read_text(encoding="utf-8"))}
"""The number of clauses of each chapter, by the beginning of their ids, as the table of `docs/rules/index.md` says."""
NAMED = re.compile(rf"(?<=_)({'|'.join(COUNTS).lower()})_(\d\d)(?=_|$)")
MARKED = re.compile(rf"\b({'|'.join(COUNTS)})\.\d\d\b")

IDS = [i for chapter in sorted(BOOK.glob("*.md")) for i in START.findall(chapter.read_text(encoding="utf-8"))]


@cache
def named_in_tests() -> dict[str, list[str]]:
    """Clause ids with the tests that name them: `test_b3_10_…` shows B3.10."""
    tests: dict[str, list[str]] = {}
    for file in sorted(HERE.glob("test_*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for chapter, number in NAMED.findall(node.name):
                    tests.setdefault(f"{chapter.upper()}.{number}", []).append(node.name)
    return tests


def test_the_book_has_every_clause_once() -> None:
    """The chapters have the clauses that the table of `docs/rules/index.md` announces."""
    assert len(COUNTS) == 7
    assert sorted(IDS) == sorted(f"{c}.{n:02}" for c, last in COUNTS.items() for n in range(1, last + 1))


@pytest.mark.parametrize("clause", IDS)
def test_a_test_names(clause: str) -> None:
    assert named_in_tests().get(clause), f"no test named test_{clause.lower().replace('.', '_')}_… in {HERE.name}/"


def test_tests_name_no_clause_that_is_not_there() -> None:
    assert set(named_in_tests()) <= set(IDS)


def variants() -> list[dasan.Rules]:
    """Every preset, and every preset with every value of each option that it can have."""
    out = [dasan.rules("winner", players=3, scoring="cards", three_player_triple="seventeen")]
    out.append(dasan.rules("winner", players=3, scoring="cards"))
    for name, preset in dasan.PRESETS.items():
        out.append(dasan.rules(name))
        for option in preset.options:
            for value in option.choices or (option.minimum, option.maximum):
                try:
                    out.append(dasan.rules(name, **{option.name: value}))
                except ValueError:
                    continue
    return out


def test_clauses_in_force_are_in_the_book() -> None:
    for rules in variants():
        assert set(rules.clauses) <= set(IDS)
        assert len(set(rules.clauses)) == len(rules.clauses)
        assert {clause for _, clause in rules.citations} - set(rules.clauses) <= {"H.01", "H.07", "H.08", "D2.16"}
        assert {f"G.{n:02}" for n in range(1, 7)} <= set(rules.clauses)
        assert {shape.clause for shape in rules.shapes} <= set(rules.clauses)


CLAUSES = {
    ("big-three", "doubling_cap", 1): "",
    ("big-three-4p", "doubling_cap", 1): "",
    ("big-two", "guard", "enforced"): "-D2.17",
    ("big-two", "guard", "off"): "-D2.16 -D2.17",
    ("big-two", "scoring", "cards-hong-kong"): "+H.30",
    ("big-two", "straights", "hong-kong"): "+H.03",
    ("big-two", "straights", "taiwan"): "+H.04",
    ("big-two", "straights", "no-twos"): "+H.05",
    ("big-two", "suit_order", "philippine"): "+H.25",
    ("winner", "bomb", "quad"): "+W.15 -W.13",
    ("winner", "bomb", "any-size"): "+H.37 -W.13",
    ("winner", "two_of_spades_restart", "off"): "-W.17",
    ("winner", "scoring", "cards"): "+W.22",
    ("winner", "suits_ranked", False): "+H.10 -W.17",
    ("winner", "exchange", "off"): "+H.40 -W.20",
    ("winner", "straight_flushes", False): "+H.41 -W.11 -W.14",
    ("dou-dizhu", "spring", False): "-H.16",
    ("dou-dizhu", "doubling_cap", 1): "",
}
"""The clauses that a value of an option puts in force, and those it takes out, unless it is its option's house rule alone."""


def test_a_house_rule_is_in_force_with_its_option_alone() -> None:
    for preset, name, value in changes():
        clause = next(option.clause for option in dasan.PRESETS[preset].options if option.name == name)
        chosen, usual = (set(rules_of(preset, name, one).clauses) for one in (value, None))
        changed = sorted(f"+{one}" for one in chosen - usual) + sorted(f"-{one}" for one in usual - chosen)
        expected = CLAUSES.get((preset, name, value), f"+{clause}" if clause.startswith("H") else "")
        assert " ".join(changed) == expected, f"{preset} {name}={value}"


def test_w_22_w_23_one_of_the_two_is_in_force() -> None:
    for players in range(3, 9):
        clauses = dasan.rules("winner", players=players, scoring="cards").clauses
        assert ("W.22" in clauses, "W.23" in clauses) == (players > 3, players == 3)


def test_every_clause_is_in_force_somewhere() -> None:
    assert {clause for rules in variants() for clause in rules.clauses} == set(IDS)


def test_every_option_names_a_clause_of_the_book() -> None:
    for preset in dasan.PRESETS.values():
        assert {option.clause for option in preset.options} <= set(IDS)


@pytest.mark.parametrize("game", ["big-three", "big-two", "winner", "dou-dizhu"])
def test_the_table_of_a_game_lists_its_options(game: str) -> None:
    """With every choice that is a word, and its clause."""
    index = (BOOK / "index.md").read_text(encoding="utf-8")
    title = next(preset.title for preset in dasan.PRESETS.values() if preset.name == game)
    table = index.split(f"\n## Options of {title}\n")[1].split("\n## ")[0]
    rows = {row.split("`")[1]: row for row in table.splitlines() if row.startswith("| `")}
    options = {option.name: option for p in dasan.PRESETS.values() if p.family == game for option in p.options}
    assert set(rows) == set(options)
    for name, option in options.items():
        words = [f"`{choice}`" for choice in option.choices or () if isinstance(choice, str)]
        assert not [word for word in (*words, option.clause) if word not in rows[name]], name


def test_the_package_reads_the_same_book() -> None:
    assert sorted(load()) == sorted(IDS)
    for clause, entry in load().items():
        assert entry.title
        assert entry.body or clause


def test_the_code_cites_only_clauses_of_the_book() -> None:
    sources = (HERE.parents[1] / "src" / "dasan").rglob("*.py")
    for file in sources:
        cited = {m.group() for m in MARKED.finditer(file.read_text(encoding="utf-8"))}
        assert cited <= set(IDS), f"{file.name}: {sorted(cited - set(IDS))}"
