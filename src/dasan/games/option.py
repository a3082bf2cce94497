"""Presets and games: the options of a preset, and the function that turns their values into rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from dasan.arguments import WrongType, flag, shown, whole
from dasan.ruleset.policies import OptionValue
from dasan.ruleset.rules import Rules

Values = Mapping[str, OptionValue]


@dataclass(frozen=True, slots=True)
class Option:
    """One named choice. `choices` None: an integer from `minimum` to `maximum`. needs: what its values need of others."""

    name: str
    default: OptionValue
    choices: tuple[OptionValue, ...] | None
    clause: str
    help: str
    minimum: int = 0
    maximum: int = 0
    needs: tuple[Need, ...] = ()

    def check(self, value: object) -> OptionValue:
        """`value`, checked. A switch takes the words "on" and "off" for True and False. ValueError: the option cannot have it.
        TypeError: no option can have it.
        """
        if isinstance(self.default, bool) and isinstance(value, str):
            value = {"on": True, "off": False}.get(value, value)
        if self.choices is not None:
            for choice in self.choices:
                if _kind(choice) is _kind(value) and choice == value:
                    return choice
            words = ", ".join(value_text(choice) for choice in self.choices)
            kind = WrongType if _kind(value) is type(None) else ValueError
            raise kind(f"option {self.name} is one of {words}, not {shown(value)} ({self.clause})")
        try:
            return whole(value, f"option {self.name}", self.minimum, self.maximum)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{error} ({self.clause})") from None


def _kind(value: object) -> type:
    """The type of a value as a choice: bool, str or int (NumPy's too), else NoneType."""
    if isinstance(value, str):
        return str
    for check, kind in ((flag, bool), (whole, int)):
        with suppress(TypeError):
            check(value, "")
            return kind
    return type(None)


def value_text(value: OptionValue) -> str:
    """A value of an option as documentation and commands write it."""
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def switch(name: str, default: bool, clause: str, help: str) -> Option:
    return Option(name, default, (False, True), clause, help)


def with_defaults(options: tuple[Option, ...], usual: Values, needs: Sequence[Need]) -> tuple[Option, ...]:
    """`options` with the defaults of one preset and their `needs`. ValueError: `usual` has another name, or a value that its
    option cannot have.

    >>> with_defaults((switch("cut", True, "B3.05", "Somebody cuts the pack."),), {"cuts": False}, ())
    Traceback (most recent call last):
    ValueError: there is no option cuts
    """
    unknown = usual.keys() - {option.name for option in options}
    if unknown:
        raise ValueError(f"there is no option {', '.join(sorted(unknown))}")
    return tuple(
        replace(
            option,
            default=option.check(usual.get(option.name, option.default)),
            needs=(*option.needs, *(need for need in needs if need.option == option.name)),
        )
        for option in options
    )


@dataclass(frozen=True, slots=True)
class Need:
    """A value of one option that needs another option: while `option` is one of `values`, `other` is one of `among`.

    otherwise: the value of `option` where the need is not met, unless the caller chose it.
    """

    option: str
    values: tuple[OptionValue, ...]
    other: str
    among: Sequence[OptionValue]
    otherwise: OptionValue
    clause: str

    def __str__(self) -> str:
        *some, last = map(value_text, self.among)
        if some:
            last = f"{some[0]} to {last}" if isinstance(self.among, range) else f"{', '.join(some)} or {last}"
        return f"{self.other}={last}"

    def met(self, values: Values) -> bool:
        """Whether the need is met, or there is none: a preset may lack either option."""
        return values.get(self.option) not in self.values or values.get(self.other, self.among[0]) in self.among


def settled(values: Values, chosen: frozenset[str], needs: Sequence[Need]) -> dict[str, OptionValue]:
    """The values of every option, where those that nobody chose follow the `needs`. ValueError: a chosen value needs another
    value of another option, or needs contradict each other; the sentence names it.

    >>> void = Need("all_pass", ("redeal",), "opener_may_pass", (True,), "opener", "H.12")
    >>> settled({"all_pass": "redeal", "opener_may_pass": False}, frozenset({"opener_may_pass"}), [void])
    {'all_pass': 'opener', 'opener_may_pass': False}
    >>> settled({"all_pass": "redeal", "opener_may_pass": False}, frozenset({"all_pass"}), [void])
    Traceback (most recent call last):
    ValueError: all_pass=redeal needs opener_may_pass=on (H.12)
    """
    out = dict(values)
    # A value that follows may be what another option needs.
    for left in range(len(needs), -1, -1):
        unmet = [need for need in needs if not need.met(out)]
        if not unmet:
            break
        name = unmet[0].option
        if name in chosen or not left:
            others = " and ".join(str(need) for need in unmet if need.option == name)
            raise ValueError(f"{name}={value_text(out[name])} needs {others} ({unmet[0].clause})")
        out[name] = unmet[0].otherwise
    return out


@dataclass(frozen=True, slots=True)
class Preset:
    """A name, a title for people, and the options with this preset's defaults.

    build: makes the rules from the name, every option's value, and the names of the options that the caller chose.
    family: the preset of which this is a variant, or its own name. sample: a few cards that stand for the game in a
    list. summary: the game in a sentence or two.
    """

    name: str
    title: str
    options: tuple[Option, ...]
    build: Callable[[str, dict[str, OptionValue], frozenset[str]], Rules]
    family: str = ""
    sample: str = ""
    summary: str = ""

    def __repr__(self) -> str:
        return f"<Preset {self.name}, {len(self.options)} options>"

    def players(self) -> tuple[int, int]:
        """The least and the most players that the option `players` allows."""
        default = self.rules({}).players
        option = next((option for option in self.options if option.name == "players"), None)
        if option is None:
            return default, default
        if option.choices is None:
            return option.minimum, option.maximum
        numbers = [int(choice) for choice in option.choices if str(choice).isdigit()]
        return min(numbers, default=default), max(numbers, default=default)

    def rules(self, chosen: Mapping[str, object]) -> Rules:
        known = {option.name: option for option in self.options}
        for name in chosen:
            if name not in known:
                raise ValueError(f"{self.name} has no option {shown(name)}; it has {', '.join(known)}")
        values = {name: option.check(chosen.get(name, option.default)) for name, option in known.items()}
        needs = [need for option in self.options for need in option.needs]
        return self.build(self.name, settled(values, frozenset(chosen), needs), frozenset(chosen))


@dataclass(frozen=True, slots=True)
class Game:
    """Presets with one chapter of clauses. chapter: the clauses as Markdown, each beginning with its number, `**TL.01** …`."""

    presets: tuple[Preset, ...]
    chapter: str = ""

    def __repr__(self) -> str:
        return f"<Game {', '.join(preset.name for preset in self.presets)}>"
