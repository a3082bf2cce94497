"""Threads of batched environments: their agreement, and their end."""

from __future__ import annotations

import gc
import os
import random
import signal
import time
from _thread import start_new_thread
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from numba.core.compiler_lock import global_compiler_lock

from dasan import vector
from dasan.kernels.env import threads as worker_threads

pytestmark = pytest.mark.full


def run(preset: str, threads: int, steps: int, *, pause: float, **options: Any) -> Iterator[bytes]:
    """The outputs of environments step by step, with two resets and a pause in which the helpers fall asleep."""
    env = vector.make(preset, 37, 9, threads=threads, session=True, **options)
    for k in range(steps):
        env.step(env.sample())
        if k in (steps // 3, 2 * steps // 3):
            env.reset(k)
        if k % 10 == 0:
            time.sleep(pause)
        more = [b"" if array is None else array.tobytes() for array in (env.obs, env.perfect, env.moves)]
        yield b"".join((env.mask.tobytes(), env.rewards.tobytes(), env.to_act.tobytes(), *more))


@pytest.mark.sampled(3, 3)
@pytest.mark.parametrize("preset", ["big-three-4p", "big-two", "winner"])
@pytest.mark.parametrize(
    "options", [{}, {"moves": True, "perfect": True}, {"moves": "ragged"}], ids=["plain", "more", "ragged"]
)
@pytest.mark.parametrize("steps", [60, pytest.param(300, marks=pytest.mark.slow)])
def test_threads_change_nothing(preset: str, options: dict[str, Any], steps: int) -> None:
    alone = run(preset, 1, steps, pause=0.0, **options)
    others = [run(preset, n, steps, pause=pause, **options) for n, pause in ((2, 0.0), (2, 0.002), (6, 0.001))]
    for one, *together in zip(alone, *others, strict=True):
        assert all(one == other for other in together)


def shown(env: vector.VectorEnv) -> list[bytes]:
    return [array.tobytes() for array in (env.mask, env.to_act, env.done, env.rewards)]


@pytest.mark.parametrize("wrong", [[0], [5], [13], [19], [3, 11], [0, 6, 12, 19]])
def test_an_illegal_action_in_any_share_changes_nothing(wrong: list[int]) -> None:
    env = vector.make("big-three", 20, 2, threads=3)
    for _ in range(40):
        env.step(env.sample())
        before = shown(env)
        actions = env.sample().copy()
        actions[wrong] = [-1 if i % 2 else env.num_actions for i in wrong]
        with pytest.raises(ValueError, match=f"not legal in environment {wrong[0]}$"):
            env.step(actions)
        assert shown(env) == before


def helpers(env: vector.VectorEnv) -> int:
    return env._team._crew.gone.count(False)


def soon(fact: Callable[[], bool]) -> bool:
    for _ in range(2000):
        if fact():
            return True
        time.sleep(0.005)
    return False


def test_environments_go_on_after_an_interrupt() -> None:
    env = vector.make("big-three", 6, threads=3)
    env.step(env.sample())

    def interrupted() -> int:
        raise KeyboardInterrupt

    for order in (worker_threads.STEP, worker_threads.SAMPLE):
        for _ in range(3):
            with pytest.raises(KeyboardInterrupt):
                env._team.command(order, env._serve, interrupted)
        env.reset(4)
        assert helpers(env) == 2
        assert shown(env) == shown(vector.make("big-three", 6, 4))
        env.step(env.sample())


def play(env: vector.VectorEnv, steps: int) -> None:
    for _ in range(steps):
        env.step(env.sample())


def test_an_interrupt_while_there_is_made_room_for_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hands that begin alike, with bids, of which there are few, and then lead."""
    env = vector.make("big-three", 60, [3] * 60, threads=3, moves="ragged")
    few = env.moves

    def interrupted() -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(env._team, "renew", interrupted)
        with pytest.raises(KeyboardInterrupt):
            play(env, 40)
    assert env.moves is few
    alone = vector.make("big-three", 60, [3] * 60, moves="ragged")
    env.reset()
    for _ in range(40):
        assert env.move_starts is not None
        assert alone.moves is not None
        assert env.moves is not None
        rows = env.move_starts[-1]
        assert env.moves[:rows].tobytes() == alone.moves[:rows].tobytes()
        env.step(env.sample())
        alone.step(alone.sample())
    assert env.moves is not few


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no alarms here")
def test_alarms_at_any_moment() -> None:
    """Two in a row, so that some arrive while helpers are replaced."""
    env = vector.make("big-two", 40, 3, threads=3)
    source = random.Random(1)
    expected = shown(vector.make("big-two", 40, 7))

    def ring(*_: object) -> None:
        raise InterruptedError

    before = signal.signal(signal.SIGALRM, ring)
    rung = 0
    try:
        for _ in range(60):
            for _ in range(2):
                try:
                    signal.setitimer(
                        signal.ITIMER_REAL, source.uniform(5e-5, 2e-3), 0.5
                    )  # one may be ignored in a callback
                    while True:
                        env.step(env.sample())
                except InterruptedError:
                    rung += 1
            signal.setitimer(signal.ITIMER_REAL, 0)
            env.reset(7)
            assert shown(env) == expected
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert rung == 120


def test_new_helpers_do_not_wait_for_the_compiler() -> None:
    """An interrupt can leave the compiler's lock held by the thread that it meets."""
    env = vector.make("big-two", 40, 3, threads=3)
    env.reset(7)
    env._team.renew()
    reset = False

    def other() -> None:
        nonlocal reset
        env.reset(7)
        reset = True

    with global_compiler_lock:
        start_new_thread(other, ())
        assert soon(lambda: reset)
    assert helpers(env) == 2


def test_a_thread_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    env = vector.make("big-three", 6, threads=3)
    env._team._whole = False
    begun: list[Any] = []

    def start(work: Callable[..., object], arguments: tuple[Any, ...]) -> None:
        if begun:
            raise RuntimeError("can't start new thread")
        begun.append(arguments[1])
        start_new_thread(work, arguments)

    monkeypatch.setattr(worker_threads, "start_new_thread", start)
    with pytest.raises(RuntimeError, match="new thread"):
        env.reset()
    assert soon(lambda: begun[0].gone == [True, False])
    monkeypatch.undo()
    env.reset(4)
    assert shown(env) == shown(vector.make("big-three", 6, 4))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_nobody_waits_for_a_lost_helper() -> None:
    env = vector.make("big-three", 6, threads=3)

    def asleep() -> bool:
        posts = env._team.posts.reshape(3, -1)
        return bool((posts[:2, worker_threads.STATE] == worker_threads.ASLEEP).all())

    def attend(me: int, order: int) -> int:
        if me == 1:
            raise MemoryError
        return env._serve(me, order)

    for order in (worker_threads.STEP, worker_threads.START):
        assert soon(asleep)
        with pytest.raises(RuntimeError, match="a thread of the environments was lost"):
            env._team.command(order, attend, partial(env._serve, 2, order))
        env.reset(4)
        assert helpers(env) == 2
        assert shown(env) == shown(vector.make("big-three", 6, 4))
        env.step(env.sample())


def test_helpers_end_with_their_environments() -> None:
    env = vector.make("big-three", 6, threads=3)
    env.step(env.sample())
    gone = env._team._crew.gone
    assert gone == [False, False]
    del env
    gc.collect()
    assert soon(lambda: all(gone))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_threads_work_in_a_forked_process() -> None:
    env = vector.make("big-three", 4, 5, threads=2)
    env.step(env.sample())
    child = os.fork()
    if child == 0:
        env.step(env.sample())
        os._exit(0)
    for _ in range(600):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.05)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert done
    assert status == 0
