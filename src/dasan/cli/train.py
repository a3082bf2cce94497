"""`dasan train`: train networks by self-play."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dasan.arguments import quantity, shown
from dasan.cli.choosing import Options, chosen_rules, complete_preset
from dasan.cli.files import AsJson
from dasan.cli.group import CannotRun, refused, sentence
from dasan.cli.output import print_json, say
from dasan.cli.progress import progress_bar
from dasan.cli.spreading import Processes, RayAddress, check_place, failures_refused, on_cluster
from dasan.learn import CHANGEABLE
from dasan.networks import FILE
from dasan.whole_file import whole_file

if TYPE_CHECKING:
    from dasan.learn.actors import Actors
    from dasan.learn.config import Config, RuleSet
    from dasan.learn.trainer import Trainer

_GAMES = {"game", "option", "also"}
"""Options that name the games, which `--like` sets."""
_COMPOSED = {"also", "device", "method", "pool", "share"}
"""Options whose values are not those of the setting of the same name. The others are."""


def train(
    context: typer.Context,
    out: Annotated[Path, typer.Option(file_okay=False, help="The folder of the run.")],
    game: Annotated[str, typer.Option(help="Which game.", autocompletion=complete_preset)] = "big-three",
    option: Options = None,
    also: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PRESET[:NAME=VALUE,…]",
            help="Learn another game or house rule with the same network. Repeatable. Each game has at least one actor, except "
            "with --method policy.",
        ),
    ] = None,
    like: Annotated[
        str | None,
        typer.Option(
            metavar="NETWORK",
            help="Use the settings of a network of the package, by its name, or of a run, by its folder; other options change "
            "them.",
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="NETWORK",
            help="Begin with the weights of a network, by its name, file or folder; without --like also with its layers and "
            "derived features.",
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Resume the run in the folder.")] = False,
    epochs: Annotated[
        int | None, typer.Option(min=1, help="Total epochs; default: 100, or as set in --like or --resume.")
    ] = None,
    envs: Annotated[
        int,
        typer.Option(
            min=1,
            help="Parallel hands, for each actor if there are any. With --method policy: for each game; default: 2048 in total.",
        ),
    ] = 1024,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds in an epoch; the network learns after each.")] = 40,
    steps: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Steps in a round; default: 32, or 256 with --actors. With --branches, a round is as long as its longest hand.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the run.")] = 0,
    pool: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="An additional opponent: low, shed, thrifty, past, net, or a network such as [bold]net:FILE[/bold]. Repeatable.",
        ),
    ] = None,
    share: Annotated[float, typer.Option(min=0, max=1, help="The share of hands with such opponents.")] = 0.25,
    method: Annotated[
        str, typer.Option(metavar="NAME", help="values: deep Monte Carlo; policy: policy gradients, best with --start.")
    ] = "values",
    random_bids: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="With --method policy: in this share of hands the auction is random, so that play fits any auction.",
        ),
    ] = None,
    random_calls: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="With --method policy: in this share of hands the called card is random, so that play fits any call.",
        ),
    ] = None,
    branches: Annotated[
        int, typer.Option(min=1, help="Play every deal this many times, with different moves at one decision.")
    ] = 1,
    span: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="With --branches: the moves differ at one of the first decisions, up to this; default: 22, or as set in --like.",
        ),
    ] = None,
    derived: Annotated[bool, typer.Option("--derived", help="The network also reads derived features.")] = False,
    answers: Annotated[
        bool, typer.Option("--answers", help="With --derived: also features of who can answer a play.")
    ] = False,
    suits: Annotated[
        bool, typer.Option("--suits", help="With --answers: also features of what depends on suits, as in Big Two.")
    ] = False,
    actors: Annotated[
        int, typer.Option(min=0, help="Let this many actors play beside the learner, each with --envs parallel hands.")
    ] = 0,
    processes: Processes = None,
    ray: RayAddress = None,
    device: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Learn in PyTorch (extra train) on this device, such as cpu or cuda; a GPU also scores moves. auto: a GPU, if "
            "there is one. Default: in compiled code.",
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=NUMBER",
            help="Another setting, like [bold]rate=0.0003[/bold], of those of dasan.learn.config. Repeatable.",
        ),
    ] = None,
    every: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Epochs between measurements against fixed players; default: 10, or as set in --like or --resume.",
        ),
    ] = None,
    deals: Annotated[
        int | None, typer.Option(min=2, help="Deals in a measurement; default: 20, or as set in --like or --resume.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Train a network by self-play. The folder holds the network, its curve, and the data to resume the run."""
    given = {name for name in context.params if _given(context, name)}
    from dasan.learn.config import Config
    from dasan.learn.in_torch import DeviceFailed
    from dasan.learn.pool import MemberFailed
    from dasan.learn.trainer import Diverged

    check_place(processes, ray)
    fixed = given - {*CHANGEABLE, "out", "resume", "processes", "ray", "as_json"}
    if resume and fixed:
        raise CannotRun(f"a resumed run keeps its own settings: leave out {_flags(fixed)}")
    if like is not None and (lost := given & _GAMES):
        raise CannotRun(f"--like takes the games of {like}: leave out {_flags(lost)}")
    values = context.params
    changes = {one.name: values[one.name] for one in fields(Config) if one.name in given - _COMPOSED}
    if resume:
        trainer = _resumed(out, changes)
    else:
        changes |= _numbers(setting or (), values)
        if pool:
            changes |= {"pool": tuple(pool), "pooled": {}, "share": share}
        elif "share" in given:
            changes["share"] = share
        if device is not None:
            changes["device"] = _device(device)
        _check_free(out)
        base = _config_like(like) if like is not None else _config_for(game, option, also or [], changes, method)
        trainer = _begun(base, changes, method if "method" in given else None)
    if not trainer.config.actors and (lost := given & {"processes", "ray"}):
        raise CannotRun(f"{_flags(lost)} says where actors play, and this run has none: start a run with --actors")
    report: dict[str, Any] = {"epoch": trainer.progress.epoch}
    with (
        progress_bar() as show,
        failures_refused("it played", "memory ran out"),
        _actors(trainer, processes, ray) as playing,
    ):
        if resume:
            _complete(out, trainer)
        else:
            with refused(OSError):
                out.mkdir(parents=True, exist_ok=True)
        while trainer.progress.epoch < trainer.config.epochs:
            try:
                trainer.epoch(playing)
            except Diverged as error:
                number = trainer.progress.epoch + 1
                raise CannotRun(
                    f"epoch {number} is lost, because {error}: begin anew, with a lower --set rate=…"
                ) from error
            except (DeviceFailed, MemberFailed) as error:
                saved = trainer.progress.epoch
                raise CannotRun(f"{error}{f'; --resume continues from epoch {saved}' if saved else ''}") from error
            report = _measured(trainer)
            _keep(out, trainer, report)
            show("epochs", trainer.progress.epoch, trainer.config.epochs)
    if as_json:
        print_json(report)
    else:
        say(", ".join(f"{name} {value}" for name, value in report.items()))


def _rule_set(text: str) -> RuleSet:
    """A game of `--also`: a preset with options, like "winner:players=3,decks=1"."""
    from dasan.games import changed_options
    from dasan.learn.config import RuleSet, usual_unit

    preset, _, options = text.partition(":")
    rules = chosen_rules(preset, options.split(",") if options else None)
    return RuleSet(preset, changed_options(rules), usual_unit(rules))


def _device(name: str) -> str:
    from dasan.learn.in_torch import best_device

    return best_device() if name == "auto" else name


@contextmanager
def _actors(trainer: Trainer, processes: int | None, ray: str | None) -> Iterator[Actors]:
    """The actors: in the learner's process, in other processes, or on a cluster."""
    from dasan.learn.actors import here, spread
    from dasan.learn.sizes import play_memory
    from dasan.memory import require_memory
    from dasan.processes import processors

    config = trainer.config
    if not config.actors:
        yield here
        return
    number = min(config.actors, processes or processors())
    if ray is None:
        require_memory(
            number * play_memory(config),
            f"{quantity(number, 'process', 'processes')}, each with {quantity(config.envs, 'parallel hand')}",
        )
    with on_cluster(ray), spread(number, ray, config.device) as actors:
        yield actors


def _given(context: typer.Context, name: str) -> bool:
    """Whether an option was given on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _flags(names: set[str]) -> str:
    return ", ".join("--set" if name == "setting" else f"--{name.replace('_', '-')}" for name in sorted(names))


def _numbers(settings: Sequence[str], options: Collection[str]) -> dict[str, float]:
    """The settings of `--set`: the numbers of a configuration that are no `options` of their own."""
    from dasan.learn.config import Config

    kinds: dict[str, type[int | float]] = {
        one.name: int if isinstance(one.default, int) else float
        for one in fields(Config)
        if isinstance(one.default, int | float) and not isinstance(one.default, bool)
    }
    out: dict[str, float] = {}
    for text in settings:
        name, _, value = text.partition("=")
        if name in kinds and name in options:
            raise CannotRun(f"{name} has an option of its own, {_flags({name})}")
        if name not in kinds:
            raise CannotRun(
                f"there is no setting {shown(name)}; there are {', '.join(sorted(kinds.keys() - set(options)))}"
            )
        try:
            out[name] = kinds[name](value)
        except ValueError:
            raise CannotRun(f"{name} is a {'whole ' * (kinds[name] is int)}number, not {shown(value)}") from None
    return out


def _check_free(out: Path) -> None:
    """`CannotRun`: the folder holds a run, or files that a run would replace."""
    if (out / "run.npz").exists():
        raise CannotRun(f"there is a run in {out}: continue it with --resume, or choose another folder")
    # run.npz is the first file that a run writes, so these belong to something else.
    if left := [name for name in ("curve.csv", "curve.svg", FILE) if (out / name).exists()]:
        raise CannotRun(f"{out} has {', '.join(left)}, but no run to resume: move them, or choose another folder")


def _config_like(name: str) -> Config:
    """The settings of a network."""
    from dasan.learn.config import Config
    from dasan.networks.source import find

    with refused(OSError, ValueError):
        card = find(name).card
        if card is None:
            raise ValueError(f"the network {name} has no model card: its settings are unknown")
        try:
            return Config.from_json(dict(card["config"]))
        except ValueError as error:
            raise ValueError(f"{name} has no valid settings: {error}") from error


def _config_for(game: str, option: list[str] | None, also: list[str], changes: dict[str, Any], method: str) -> Config:
    """The usual settings for these games; with a network to start from, its layers and what it reads, if `changes` name no
    others.
    """
    from dasan.features.moves import exact_cards
    from dasan.games import changed_options, make_rules
    from dasan.learn.config import Config, usual_unit
    from dasan.networks.source import find

    rules, further = chosen_rules(game, option), tuple(_rule_set(text) for text in also)
    games = [rules, *(make_rules(one.preset, **one.options) for one in further)]
    settings: dict[str, Any] = {"session": any(one.exchange for one in games), "second": 64, "keep": 1.0, "trace": 0.9}
    # Policy gradients have no actors; `by_policy` sets the default to 0 after the configuration was checked.
    actors = changes.get("actors", 0)
    settings["actors"] = 1 + len(further) if further and (method == "policy" or "actors" not in changes) else actors
    settings["steps"] = 256 if settings["actors"] else 32
    with refused(OSError, ValueError):
        if "start" in changes:
            source = find(changes["start"])
            reads = source.trained(rules).reads
            settings["first"], settings["second"] = source.network.weights["w_second"].shape
            settings |= {"derived": reads.derived, "answers": reads.answers}
            settings["suits"] = reads.suits and any(map(exact_cards, games))
        return Config(game, changed_options(rules), unit=usual_unit(rules), also=further, **settings)


def _begun(config: Config, changes: dict[str, Any], method: str | None) -> Trainer:
    """A new run with these settings and changes. method: its method, None for that of the settings."""
    from dasan.learn.pool import MemberFailed
    from dasan.learn.trainer import Trainer

    if (method, config.method) == ("values", "policy"):
        raise CannotRun("these settings are of policy gradients: leave out --method values")
    with refused(OSError, ValueError, ImportError):
        if method == "policy" != config.method:
            config = config.by_policy()
        elif method is not None:
            config = replace(config, method=method)
        if "share" in changes and not changes.get("pool", config.pool):
            raise CannotRun("--share is the share of hands with opponents of --pool: name one")
        if "start" in changes:
            changes = {"started": "", **changes}
        try:
            return Trainer(replace(config, **changes))
        except MemberFailed as error:
            raise CannotRun(f"{error}{'' if 'pool' in changes else '; name the opponents anew with --pool'}") from error


def _resumed(out: Path, changes: dict[str, int]) -> Trainer:
    from dasan.learn.curves import cut
    from dasan.learn.measuring import OPPONENTS
    from dasan.learn.trainer import Trainer

    try:
        if not (out / "run.npz").exists():
            raise CannotRun(f"there is no run to resume in {out}: a run is saved at the end of each epoch")
        trainer = Trainer.load(out / "run.npz", **changes)
        cut(out / "curve.csv", trainer.progress.epoch, OPPONENTS)
    except (OSError, ValueError, KeyError, TypeError, ImportError) as error:
        raise CannotRun(f"cannot resume the run in {out}: {sentence(error)}") from error
    return trainer


def _complete(out: Path, trainer: Trainer) -> None:
    """Write the files of the last saved epoch again, as the run may have been stopped while it wrote them."""
    from dasan.learn.curves import read

    epoch = trainer.progress.epoch
    if epoch:
        rows = read(out / "curve.csv")
        known = bool(rows) and int(rows[-1]["epoch"]) == epoch
        _keep(out, trainer, None if known else _measured(trainer))


def _measured(trainer: Trainer) -> dict[str, Any]:
    """The epoch's row of the curve."""
    from dasan.learn.measuring import measure

    progress, config = trainer.progress, trainer.config
    row: dict[str, Any] = {
        "epoch": progress.epoch,
        "hands": progress.hands,
        "moves": progress.plies,
        "decisions": progress.decisions,
        "seconds": round(progress.seconds, 1),
        "loss": round(progress.loss, 5),
    }
    if progress.epoch % config.every == 0 or progress.epoch == config.epochs:
        measured = measure(config.rules(), trainer.networks()[0], config.session, config.deals)
        row.update({name: estimate.mean for name, estimate in measured.items()})
    return row


def _keep(out: Path, trainer: Trainer, row: dict[str, Any] | None) -> None:
    """Write the run, the curve and the networks. row: the epoch's row of the curve; None if run and curve have the epoch. The run
    comes first: `_complete` makes the other files from it.
    """
    from dasan.learn.curves import add_row, picture, read
    from dasan.learn.measuring import OPPONENTS

    try:
        if row is not None:
            trainer.save(out / "run.npz")
            add_row(out / "curve.csv", row, OPPONENTS)
        files = {FILE: trainer.network()}
        if trainer.config.also:
            files |= {f"network-{k}.npz": network for k, network in enumerate(trainer.networks(), 1)}
        for name, network in files.items():
            with whole_file(out / name) as stream:
                try:
                    network.save(stream)
                except ValueError as error:
                    raise CannotRun(f"{out / name} cannot be written: {error}") from error
        with whole_file(out / "curve.svg") as stream:
            stream.write(picture(read(out / "curve.csv"), OPPONENTS).encode())
    except OSError as error:
        raise CannotRun(f"cannot write in {out}: {error.strerror or error}") from error
