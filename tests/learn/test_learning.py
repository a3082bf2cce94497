"""Self-play training: each decision gets its seat's return, runs resume exactly, and the network learns."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from tests.backends.test_contract import with_many_ids

import dasan
from dasan.learn.config import Config
from dasan.learn.curves import read
from dasan.learn.decisions import Decisions, Samples
from dasan.learn.duel import duel, rotations
from dasan.learn.measuring import measure
from dasan.learn.trainer import Trainer
from dasan.networks.derived import Reads, layouts
from dasan.networks.network import Network
from dasan.networks.scoring import Scorer
from dasan.networks.trained import catalogue, load
from dasan.vector import VectorEnv

pytestmark = pytest.mark.full

SMALL = Config("big-two", envs=32, rounds=3, steps=16, epochs=4, first=32, second=16, batch=128, trace=0.9, unit=2.0)


def decide(decisions: Decisions, env: int, seat: int, value: float, explored: bool = False) -> None:
    """One decision whose observation is (environment, seat) and whose move is the value times ten."""
    decisions.add(
        np.array([env]),
        np.array([seat], np.int8),
        np.full((1, 8), 10 * env + seat, np.uint8),
        np.full((1, 8), round(10 * value), np.uint8),
        np.array([value], np.float32),
        np.array([explored]),
    )


def taken(decisions: Decisions) -> dict[tuple[int, int], float]:
    """By observation and move: the target."""
    obs, moves, targets, _ = decisions.take(1.0, np.random.default_rng(1))
    return {(int(o[0]), int(m[0])): float(t) for o, m, t in zip(obs, moves, targets, strict=True)}


def test_decisions_get_the_payment_of_the_seat_that_made_them() -> None:
    decisions = Decisions(2, 3, 8, 8, capacity=4)
    for env, seat, value in ((0, 0, 0.1), (1, 2, 0.2), (0, 2, 0.3), (0, 0, 0.4), (1, 2, 0.5), (1, 0, 0.6)):
        decide(decisions, env, seat, value)
    assert decisions.waiting == 6
    assert taken(decisions) == {}
    payments = np.array([[2, -1, -1], [0, 0, 0]], np.float32)
    decisions.finish(np.array([0]), payments)
    assert decisions.waiting == 3
    assert taken(decisions) == {(0, 1): 2.0, (2, 3): -1.0, (0, 4): 2.0}
    decisions.finish(np.array([1]), np.array([[0, 0, 0], [-4, 2, 2]], np.float32))
    assert taken(decisions) == {(12, 2): 2.0, (12, 5): 2.0, (10, 6): -4.0}
    assert decisions.waiting == 0


def test_a_trace_mixes_in_the_value_of_the_next_decision_and_stops_where_it_explored() -> None:
    decisions = Decisions(1, 2, 8, 8, trace=0.5)
    decide(decisions, 0, 1, 0.1)
    decide(decisions, 0, 1, 0.8)
    decide(decisions, 0, 1, 0.4, explored=True)
    decide(decisions, 0, 1, 0.2)
    decisions.finish(np.array([0]), np.array([[0, 3]], np.float32))
    targets = taken(decisions)
    assert targets[1, 2] == pytest.approx(3)
    assert targets[1, 4] == pytest.approx(0.5 * 0.2 + 0.5 * 3)
    assert targets[1, 8] == pytest.approx(0.4)
    assert targets[1, 1] == pytest.approx(0.5 * 0.8 + 0.5 * 0.4)


def test_an_epoch_counts_every_hand_that_it_begins_and_no_forced_move() -> None:
    trainer = Trainer(SMALL)
    trainer.epoch()
    progress = trainer.progress
    assert trainer.hands.decisions.waiting == 0
    assert progress.hands >= SMALL.envs
    assert 0 < progress.decisions < progress.plies
    assert (
        progress.plies / progress.hands > 40
    )  # long hands are not left out: a hand of weak players takes some sixty moves


def test_hands_of_a_long_epoch_are_played_to_their_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dasan.learn.selfplay.MOST_STEPS", 400)
    trainer = Trainer(replace(SMALL, envs=4, steps=500, rounds=1))
    trainer.epoch()
    assert trainer.progress.plies > 4 * 500
    assert trainer.hands.decisions.waiting == 0


def test_every_decision_is_learnt_from_where_all_are_kept() -> None:
    trainer = Trainer(replace(SMALL, batch=4096, keep=1.0))
    trainer.epoch()
    assert trainer.progress.samples == trainer.progress.decisions > 0
    assert trainer.progress.updates > 0


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"branches": 4, "derived": True, "answers": True, "span": 8, "pool": ("thrifty", "past"), "share": 0.25},
        {"actors": 2},
    ],
    ids=["alone", "branches", "actors"],
)
def test_a_run_goes_on_exactly(tmp_path: Path, changes: dict[str, Any]) -> None:
    config = replace(SMALL, **changes)
    whole, part = Trainer(config), Trainer(config)
    for _ in range(3):
        whole.epoch()
    part.epoch()
    part.save(tmp_path / "run.npz")
    again = Trainer.load(tmp_path / "run.npz")
    for _ in range(2):
        again.epoch()
    assert np.array_equal(whole.learner.flat, again.learner.flat)
    assert np.array_equal(whole.learner.average, again.learner.average)
    assert whole.progress.decisions == again.progress.decisions
    assert Config.from_json(config.to_json()) == config
    (tmp_path / "other.npz").write_bytes((tmp_path / "run.npz").read_bytes()[:100])
    with pytest.raises(ValueError, match="not a saved training run"):
        Trainer.load(tmp_path / "other.npz")


def test_a_file_that_no_run_wrote_is_refused(tmp_path: Path) -> None:
    """Zip files with other contents, and a run whose settings or totals are invalid."""
    file, about = tmp_path / "run.npz", {"config": SMALL.to_json(), "progress": {"epoch": 1}}
    wrong: list[dict[str, Any]] = [
        {},
        {"about": np.array("x")},
        {"about": np.array("5")},
        {"about": np.array(json.dumps(about))},
        {"about": np.array(json.dumps({**about, "progress": {"epochs": 1}}))},
        {"about": np.array(json.dumps({**about, "config": {"preset": "big-two", "envs": 0}}))},
    ]
    for held in wrong:
        np.savez(file, **held)
        with pytest.raises(ValueError, match=r"^.*run\.npz is not a saved training run$"):
            Trainer.load(file)
    np.savez(file, about=np.array("[" * 100_000))
    with pytest.raises(ValueError, match=r"not a saved training run$"):
        Trainer.load(file)
    config = {"preset": "big-two", "options": {"preset": "x"}}
    arrays: dict[str, Any] = dict(Trainer(SMALL).learner.arrays())
    np.savez(file, about=np.array(json.dumps({**about, "config": config})), **arrays)
    with pytest.raises(ValueError, match="preset"):
        Trainer.load(file)
    for totals in ({"epoch": "1"}, {"epoch": -1}, {"updates": 1.5}, {"hands": 10**30}, {"seconds": None}, [1]):
        np.savez(file, about=np.array(json.dumps({**about, "progress": totals})), **arrays)
        with pytest.raises(ValueError, match=r"not a saved training run$"):
            Trainer.load(file)
    arrays["flat"][0] = np.nan
    np.savez(file, about=np.array(json.dumps(about)), **arrays)
    with pytest.raises(ValueError, match="flat is not finite"):
        Trainer.load(file)
    with ZipFile(file, "w") as archive:
        archive.writestr("about.npy", b"\x93NUMPY")
    with pytest.raises(ValueError, match="not a saved training run"):
        Trainer.load(file)


def damaged(kind: str, good: bytes) -> bytes:
    """A network's file with damage of one kind."""
    at = {
        "encrypted": [(b"PK\x03\x04", 6, 1), (b"PK\x01\x02", 8, 1)],
        "compression": [(b"PK\x03\x04", 8, 99), (b"PK\x01\x02", 10, 99)],
        "version": [(b"PK\x01\x02", 6, 216)],
    }
    out = bytearray(good)
    for mark, offset, value in at.get(kind, ()):
        out[good.index(mark) + offset] = value
    if kind in at:
        return bytes(out)
    huge = b"{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }\n" % 10**21
    parts = {
        "header": b"\x93NUMPY\x01\x00\x07\x00{'descr",
        "endless": b"\x93NUMPY\x01\x00\x01\x00(",
        "shape": b"\x93NUMPY\x01\x00" + len(huge).to_bytes(2, "little") + huge,
    }
    file = BytesIO()
    with ZipFile(BytesIO(good)) as archive, ZipFile(file, "w") as copy:
        for name in archive.namelist():
            copy.writestr(name, parts[kind] if name == "bias.npy" else archive.read(name))
    return file.getvalue()


@pytest.mark.parametrize("kind", ["encrypted", "compression", "version", "header", "endless", "shape"])
def test_a_damaged_network_is_refused(kind: str) -> None:
    file = BytesIO()
    Trainer(SMALL).network().save(file)
    with pytest.raises(ValueError, match=r"^the file does not contain a network$"):
        Network.load(BytesIO(damaged(kind, file.getvalue())))


BROKEN = [("w_obs", math.nan), ("bias", math.inf), ("unit", math.nan), ("unit", 0.0)]


def broken(name: str, value: float) -> Network:
    network = Trainer(SMALL).network()
    if name == "unit":
        return replace(network, unit=value)
    return replace(network, weights={**network.weights, name: np.full_like(network.weights[name], value)})


@pytest.mark.parametrize(("name", "value"), BROKEN)
def test_a_network_without_finite_weights_is_refused(name: str, value: float) -> None:
    network, file = broken(name, value), BytesIO()
    parts: dict[str, Any] = {"unit": np.float32(network.unit), **network.weights}
    np.savez(file, **parts)
    with pytest.raises(ValueError, match="its weights are not finite"):
        Network.load(BytesIO(file.getvalue()))


@pytest.mark.parametrize(("name", "value"), [*BROKEN, ("w_last", -65505.0), ("unit", 1e-50), ("unit", 1e39)])
def test_a_network_that_could_not_be_read_back_is_not_saved(name: str, value: float) -> None:
    file = BytesIO()
    with pytest.raises(ValueError, match="weights up to 65,504 and a positive unit"):
        broken(name, value).save(file)
    assert not file.getvalue()
    with pytest.raises(ValueError, match="JSON"):
        replace(Trainer(SMALL).network(), card={"loss": math.nan}).save(file)
    assert not file.getvalue()


def test_gradients_are_those_of_finite_differences() -> None:
    trainer = Trainer(SMALL)
    learner = trainer.learner
    rng = np.random.default_rng(3)
    obs = (rng.random((40, learner.shape.observation)) < 0.2).astype(np.uint8)
    moves = (rng.random((40, learner.shape.move)) < 0.2).astype(np.uint8)
    targets = rng.normal(size=40).astype(np.float32)

    def loss(flat: np.ndarray) -> float:
        w = learner.shape.views(flat)
        first = np.maximum(
            (obs * learner.scale_obs) @ w["w_obs"] + (moves * learner.scale_move) @ w["w_move"] + w["bias"], 0
        )
        second = np.maximum(first @ w["w_second"] + w["b_second"], 0)
        return float((((second @ w["w_last"] + w["b_last"]) - targets) ** 2).mean())

    flat = learner.flat.astype(np.float64)
    samples = Samples(obs, moves, targets, np.full(40, -1, np.int32))
    assert learner.update(samples, 0.0, 1) == pytest.approx(loss(flat), rel=1e-4)
    gradient = learner.mean / 0.1  # Adam's first step remembers a tenth of it
    for at in rng.choice(np.flatnonzero(np.abs(gradient) > 1e-3), 12, replace=False):
        step = np.zeros_like(flat)
        step[at] = 1e-4
        assert gradient[at] == pytest.approx((loss(flat + step) - loss(flat - step)) / 2e-4, rel=0.02, abs=1e-4)


def test_equal_networks_earn_nothing_from_each_other() -> None:
    network = Trainer(SMALL).network()
    estimate = duel(SMALL.rules(), network, network, 8)
    assert estimate.mean == 0


def test_a_duel_takes_rules_with_more_ids_than_16_bits_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each player makes the legal move with the highest id; those of bombs and pairs are above 32,767."""

    class Last(Scorer):
        def __call__(self, env: VectorEnv, envs: np.ndarray, weights: Any) -> Any:
            begin = np.concatenate([[0], np.cumsum(env.num_legal[envs])])
            return SimpleNamespace(begin=begin, best=lambda: begin[1:] - 1)

    monkeypatch.setattr("dasan.learn.duel.Scorer", Last)
    network = Network({})
    assert duel(with_many_ids(), network, network, 1).mean == 0


def test_a_duel_of_sessions_pays_the_mean_of_their_hands() -> None:
    """The second hand begins with an exchange (W.20)."""
    rules, network = dasan.rules("winner"), Trainer(Config("winner", first=8, second=8, session=True, envs=2)).network()
    assert duel(rules, network, network, 4, session=True, hands=2).mean == pytest.approx(0, abs=1e-6)
    with pytest.raises(ValueError, match="more than one hand needs session=True"):
        duel(rules, network, network, 4, hands=2)
    with pytest.raises(ValueError, match="hands"):
        duel(rules, network, network, 4, session=True, hands=0)
    exchanged: dict[int, bool] = {}

    def gains(hands: int) -> np.ndarray:
        def last_move(env: VectorEnv, envs: np.ndarray, mine: np.ndarray) -> np.ndarray:
            moves = np.asarray(env.legal[envs, env.num_legal[envs] - 1])
            exchanged[hands] = exchanged.get(hands, False) or bool((moves >= env.ids.gives).any())
            return moves

        return next(rotations(rules, last_move, 3, 5, session=True, hands=hands))

    one, two = gains(1), gains(2)
    for hand in (one, 2 * two - one):
        assert np.sort(hand) == pytest.approx(np.broadcast_to([-1, -1 / 3, 1 / 3, 1], hand.shape), abs=1e-6)
    assert not np.array_equal(one, 2 * two - one)
    assert exchanged == {1: False, 2: True}


def test_weights_go_to_a_file_and_to_another_game(tmp_path: Path) -> None:
    trainer = Trainer(SMALL)
    trainer.network().save(tmp_path / "network.npz")
    read_back = Network.load(tmp_path / "network.npz")
    assert np.allclose(read_back.weights["w_obs"], trainer.network().weights["w_obs"], atol=1e-3)
    with pytest.raises(ValueError, match="have other sizes"):
        Trainer(replace(SMALL, start="big-two-charlesworth"))
    with pytest.raises(ValueError, match="there is no network"):
        Trainer(replace(SMALL, start="chess"))


def scored(network: Network) -> Any:
    """The scores of the legal moves of a hand of Big Two that nobody has played in."""
    state = dasan.deal(dasan.rules("big-two"), seed=3)
    return network.of_view(state.view(state.to_act), session=False)


def test_a_run_begins_with_the_weights_it_names() -> None:
    started = Trainer(Config("big-two", envs=4, first=256, second=64, start="big-two", derived=True))
    shipped = load(next(one for one in catalogue() if one.name == "big-two"))
    assert scored(started.network()) == pytest.approx(scored(shipped), abs=1e-3)
    plain = Trainer(Config("big-two", envs=4, first=256, second=64, start="big-two"))
    rows = plain.learner.shape.observation
    assert np.array_equal(plain.learner.parts["w_obs"], started.learner.parts["w_obs"][:rows])


@pytest.mark.parametrize("start", ["big-two", "big-two-all"])
def test_a_run_of_sessions_may_begin_with_a_network_for_single_hands(start: str) -> None:
    """The features of exchanges are new to the network; those of play keep their weights."""
    config = Config("winner", session=True, envs=4, first=256, second=64, start=start, derived=True, answers=True)
    learner, single = Trainer(config).learner, Trainer(replace(config, session=False)).learner
    assert learner.shape.observation > single.shape.observation
    hands = []
    for one, session in ((learner, True), (single, False)):
        hand = next(f for f in layouts(config.rules(), Reads(session))[0] if f.name == "hand")
        hands.append(one.parts["w_obs"][hand.start : hand.start + hand.size])
    assert hands[0].any()
    assert np.array_equal(hands[0], hands[1])


def test_a_run_goes_on_without_the_network_it_began_with(tmp_path: Path) -> None:
    begun = Trainer(SMALL)
    begun.epoch()
    begun.config = replace(SMALL, start="a network that is gone")
    begun.save(tmp_path / "run.npz")
    gone_on = Trainer.load(tmp_path / "run.npz")
    assert gone_on.config == begun.config
    assert np.array_equal(gone_on.learner.flat, begun.learner.flat)


def test_a_wider_network_begins_with_almost_the_same_scores() -> None:
    same, wide = (
        Trainer(Config("big-two", envs=64, first=n, second=n // 4, start="big-two-charlesworth", derived=True))
        for n in (256, 512)
    )
    first, second = (scored(trainer.network()) for trainer in (same, wide))
    assert np.corrcoef(first, second)[0, 1] > 0.98
    assert not np.array_equal(first, second)


@pytest.mark.long
def test_training_for_seconds_beats_random() -> None:
    trainer = Trainer(Config("big-two", envs=64, rounds=20, epochs=16, first=64, second=32, trace=0.9, keep=1.0))
    for _ in range(16):
        trainer.epoch()
    result = measure(dasan.rules("big-two"), trainer.network(), False, 30, opponents=("random",))
    assert result["random"].low > 0.3


@pytest.mark.long
@pytest.mark.parametrize("actors", [[], ["--actors", "2"]], ids=["alone", "actors"])
def test_the_command_goes_on_after_kill_9(tmp_path: Path, actors: list[str]) -> None:
    command = [sys.executable, "-m", "dasan", "train", "--every", "100", "--deals", "2"]
    new = ["--game", "big-two", "--envs", "64", "--rounds", "3", "--epochs", "6", *actors]

    def run(out: Path, *more: str) -> None:
        subprocess.run([*command, "--out", str(out), *more], check=True, capture_output=True, timeout=300)

    run(tmp_path / "whole", *new)
    part = tmp_path / "part"
    begun = subprocess.Popen([*command, "--out", str(part), *new], stdout=subprocess.DEVNULL)
    for _ in range(600):
        if (part / "run.npz").exists():
            break
        time.sleep(0.1)
    os.kill(begun.pid, signal.SIGKILL)
    begun.wait()
    run(part, "--resume", *(["--processes", "1"] if actors else []))
    with np.load(tmp_path / "whole" / "run.npz") as whole, np.load(part / "run.npz") as again:
        assert np.array_equal(whole["flat"], again["flat"])
    assert [row["epoch"] for row in read(part / "curve.csv")] == [str(n) for n in range(1, 7)]
    assert (part / "curve.svg").read_text().startswith("<svg")
