"""A program in any language as a bot: a process that speaks the bot protocol, see `wire`."""

from __future__ import annotations

import logging
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from multiprocessing.util import Finalize
from queue import Empty, Queue
from time import monotonic
from types import TracebackType
from typing import Any
from weakref import WeakSet

from dasan.arguments import MOST_SECONDS, instance, positive, shown, whole
from dasan.bots import PROGRAM, bot
from dasan.bots.external import wire
from dasan.bots.external.wire import Fault, Message
from dasan.bots.protocol import Bot, Named, choices
from dasan.networks import NETWORK
from dasan.play.events import Event
from dasan.play.moves import Move
from dasan.play.state import State
from dasan.play.view import View, known_at_start
from dasan.ruleset.rules import Rules

STARTING = 10.0
"""Seconds that a program may take to say hello."""
BUFFERS = ": a program reads its input line by line, and flushes its output after each line"
"""The usual reason why a program that runs does not say hello."""
MOST_STARTS = 3
"""The number of failed starts in a row after which a program is not started again."""
ENDING = 2.0
"""Seconds that a program may take to exit."""
LAST_WORDS = 1200
"""The number of last bytes of a program's standard error that a fault's message quotes."""
REPORTED = 3
"""The most faults of a program, or of a bot in a contest, to report, each with its message, on standard error."""

_log = logging.getLogger("dasan.bots")


def split_command(command: str, *, windows: bool = sys.platform == "win32") -> list[str]:
    """The program and its arguments, split as a shell would; on Windows a backslash separates folders and escapes nothing.

    ValueError: the command is empty, or a quotation mark is not closed.
    """
    instance(command, str, "a program is named by its command")
    try:
        words = shlex.split(command, posix=not windows)
    except ValueError as error:
        raise ValueError(f"{shown(command)} is not a command: {str(error).lower()}") from error
    if not words:
        raise ValueError("a program is named by its command, like cmd:python bot.py")
    return [word[1:-1] if word[0] in "\"'" else word for word in words] if windows else words


class Program:
    """A running program. `ask` sends messages and waits for one answer. Every failure raises a `Fault` and ends the
    process; the message quotes the end of the program's standard error.
    """

    def __init__(self, command: list[str], *, starting: float = STARTING) -> None:
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise Fault("crash", f"{shlex.join(command)[:80]}: {error.strerror}") from error
        self._owner = os.getpid()
        self._lines: Queue[bytes] = Queue(16)
        self._orders: Queue[bytes | None] = Queue()
        self._last_words = bytearray()
        self._listening = threading.Thread(target=_listen, args=(self._process.stderr, self._last_words), daemon=True)
        dead = threading.Event()
        watcher = _watcher(self._process.pid)
        self._end = Finalize(self, _kill, (self._process, watcher, self._lines, self._orders, dead))
        try:
            threading.Thread(target=_write, args=(self._process.stdin, self._orders), daemon=True).start()
            threading.Thread(target=_read, args=(self._process.stdout, self._lines, dead), daemon=True).start()
            self._listening.start()
            answer = self.ask([wire.hello()], starting, f" to hello{BUFFERS}")
            try:
                self.name, self.version = wire.named(answer)
            except Fault as fault:
                raise self._with_last_words(fault) from None
        except BaseException:
            self.kill()
            raise
        _programs.add(self)
        _quit_at_exit(self._owner)

    def _with_last_words(self, fault: Fault) -> Fault:
        """The fault, with the end of the program's standard error, escaped because a terminal may show it."""
        self._listening.join(0.5 if fault.kind == "crash" else 0.0)
        last_words = _last_lines(bytes(self._last_words)).decode(errors="replace").strip()
        if not last_words:
            return fault
        text = " / ".join(line.strip() for line in last_words.splitlines() if line.strip())
        readable = "".join(c if c.isprintable() else "?" for c in text)
        return Fault(fault.kind, f"{fault}; its standard error ends: {readable}")

    @property
    def ours(self) -> bool:
        """Whether this process started the program: a forked process lacks the threads that communicate with it."""
        return self._owner == os.getpid()

    def tell(self, messages: list[Message]) -> None:
        """Send messages without waiting for an answer."""
        for message in messages:
            self._orders.put(wire.written(message))

    def ask(self, messages: list[Message], seconds: float, why: str = "") -> Message:
        """Send messages and wait for the answer. why: to end the sentence about an answer that does not come."""
        try:
            with suppress(Empty):
                early = self._lines.get_nowait()
                raise (
                    Fault("garbage", f"it wrote a line that no message asked for: {wire.quoted(early)}")
                    if early
                    else self._ended()
                )
            self.tell(messages)
            deadline = monotonic() + seconds
            try:
                line = self._lines.get(timeout=max(0.0, deadline - monotonic()))
            except Empty:
                raise Fault("stall", f"no answer within {seconds:g} seconds{why}") from None
            if not line:
                raise self._ended()
            if len(line) > wire.MAX_LINE or not line.endswith(b"\n"):
                rule = f"a line has at most {wire.MAX_LINE} bytes and ends with a newline"
                raise Fault("garbage", f"{rule}: {wire.quoted(line)}")
            return wire.read(line)
        except Fault as fault:
            explained = self._with_last_words(fault)
            self.kill()
            raise explained from None

    def _ended(self) -> Fault:
        """The fault of a program that closed its standard output, with its exit status."""
        try:
            status = self._process.wait(0.5)
        except subprocess.TimeoutExpired:
            return Fault("crash", "it closed its standard output")
        if status >= 0:
            return Fault("crash", f"it ended with exit status {status}")
        try:
            return Fault("crash", f"it was ended by {signal.Signals(-status).name}")
        except ValueError:
            return Fault("crash", f"it was ended by signal {-status}")

    def close(self) -> int | None:
        """Send quit and wait until the program exits; its exit status, None if it had to be killed."""
        self.tell([wire.quit()])
        return self.hang_up()

    def hang_up(self, seconds: float = ENDING) -> int | None:
        """Close its standard input and wait until it exits; its exit status, None if it had to be killed."""
        self._orders.put(None)
        try:
            status: int | None = self._process.wait(max(0.0, seconds))
        except subprocess.TimeoutExpired:
            status = None
        self.kill()
        return status

    def kill(self) -> None:
        """End the process and its child processes at once."""
        self._end()


_programs: WeakSet[Program] = WeakSet()


@lru_cache(maxsize=1)
def _quit_at_exit(process: int) -> None:
    """Call `_quit_all` when this process exits. Unlike `atexit`, this also works in worker processes."""
    Finalize(None, _quit_all, exitpriority=1)


def _quit_all() -> None:
    """Send quit to all programs of this process, and kill those that have not exited after `ENDING` seconds."""
    programs = [program for program in _programs if program.ours]
    for program in programs:
        program.tell([wire.quit()])
    until = monotonic() + ENDING
    try:
        for program in programs:
            program.hang_up(until - monotonic())
    finally:
        for program in programs:  # also if this process was interrupted again
            program.kill()


def _watcher(program: int) -> subprocess.Popen[bytes] | None:
    """A process that kills the program's group once this process, and any that it has forked, has ended, however it ends: a
    signal leaves no time to do so, and a program that is busy does not notice that its pipes are closed. None if the system
    has no shell.
    """
    if not hasattr(os, "killpg"):
        return None
    command = ["sh", "-c", 'read -r line; kill -s KILL -- "-$1"', "sh", str(program)]
    with suppress(OSError):
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
    return None


def _write(pipe: Any, orders: Queue[bytes | None]) -> None:
    try:
        with pipe:
            while (line := orders.get()) is not None:
                pipe.write(line)
                pipe.flush()
    except (OSError, ValueError):
        pass  # the process has ended; the reader thread notices


def _read(pipe: Any, answers: Queue[bytes], dead: threading.Event) -> None:
    with pipe:
        try:
            while not dead.is_set() and (line := pipe.readline(wire.MAX_LINE + 1)):
                answers.put(line)
        except (OSError, ValueError):
            pass
    if not dead.is_set():
        answers.put(b"")


def _listen(pipe: Any, last_words: bytearray) -> None:
    """Keep the end of a program's standard error."""
    with pipe, suppress(OSError, ValueError):
        while part := pipe.read1(4096):
            last_words += part
            del last_words[: -4 * LAST_WORDS]


def _last_lines(text: bytes) -> bytes:
    """The last `LAST_WORDS` bytes, from the beginning of a line if one begins in them."""
    if len(text) <= LAST_WORDS:
        return text
    part, _, rest = text[-LAST_WORDS:].partition(b"\n")
    return rest if rest.strip() else part


def _kill(
    process: subprocess.Popen[bytes],
    watcher: subprocess.Popen[bytes] | None,
    answers: Queue[bytes],
    orders: Queue[bytes | None],
    dead: threading.Event,
) -> None:
    """End a process and its group, and let its threads, which close the pipes, finish."""
    dead.set()
    if watcher is not None:
        watcher.kill()
        watcher.communicate()  # closes its pipe
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    orders.put(None)
    with suppress(Empty):
        while True:
            answers.get_nowait()  # the reader may be waiting for space in the queue
    answers.put(b"")


def log_fault(name: str, fault: Fault, number: int, most: int = REPORTED) -> None:
    """Log the fault of this number, from 1, of a bot, unless it has had more than `most`."""
    if number <= most:
        _log.warning("%s: %s: %s", name, fault.kind, fault)
    if number == most:
        _log.warning("%s: further faults are only counted", name)


class ProgramBot(Named):
    """A bot whose moves a program chooses. The program is started on the first question, and again after a fault, until three
    starts in a row have failed.

    command: the program and its arguments, as for a shell. seconds: the time limit for a move. reported: the number of first
    faults to log. `choose` raises `Fault`; other players are not affected. Programs with the same name and version should
    choose the same move for the same hand. A copy or a pickle starts a process of its own. ValueError: there is no command, or
    another argument is wrong.
    """

    def __init__(self, command: str, *, seconds: float = 5.0, reported: int = REPORTED) -> None:
        self._command = split_command(command)
        self._reported = whole(reported, "reported", 0)
        self._seconds = positive(seconds, "seconds", MOST_SECONDS)
        self._program: Program | None = None
        self._sent: tuple[object, tuple[Event, ...]] | None = None
        self._asked = 0
        self._faults = 0
        self._failed_starts = 0
        self._name = f"{PROGRAM}{command}"
        self._version = "unknown"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_program": None, "_sent": None}

    @property
    def name(self) -> str:
        return self._name

    @property
    def version(self) -> str:
        """The version in the program's hello; reading it starts the program. "unknown" if that fails."""
        try:
            self._running()
        except Fault:
            return "unknown"
        return self._version

    def choose(self, view: View) -> Move:
        moves = choices(view)
        seen = view.to_json()
        try:
            program = self._running()
            self._asked += 1
            move = wire.move(
                program.ask([*self._news(view), wire.choose(self._asked, self._seconds, seen)], self._seconds),
                self._asked,
                seen,
            )
        except BaseException as error:
            if isinstance(error, Fault):
                self._report(error)
            if self._program is not None:
                self._program.kill()  # after an interrupt too: a late answer would be taken as the next one's
            self._program = None
            raise
        return next(m for m in moves if str(m) == move)

    def _report(self, fault: Fault) -> None:
        """Log the first faults; by default the log goes to standard error."""
        self._faults += 1
        log_fault(self._name, fault, self._faults, self._reported)

    def begin(self, *, report: bool = False) -> None:
        """Start the program if it does not run. report: log a fault, as `choose` does. `Fault`: it does not start."""
        try:
            self._running()
        except Fault as fault:
            if report:
                self._report(fault)
            raise

    def watch(self, view: View) -> None:
        """Send the program the new events, and the result of a finished hand."""
        if self._program is not None and self._program.ours:
            self._program.tell(self._news(view))
            if view.result is not None:
                self._program.tell([wire.over(view.to_json()["result"])])
                self._sent = None

    def _running(self) -> Program:
        if self._program is None or not self._program.ours:
            self._program = self._started()
            self._sent = None
            self._version = f"{self._program.name} {self._program.version}"
        return self._program

    def _started(self) -> Program:
        """A new process, unless too many starts in a row have failed: a program that hangs there takes `STARTING` seconds."""
        if self._failed_starts >= MOST_STARTS:
            raise Fault("crash", f"it is not started again, because {MOST_STARTS} starts in a row failed")
        try:
            program = Program(self._command)
        except Fault:
            self._failed_starts += 1
            if self._failed_starts == MOST_STARTS:
                _log.warning("%s: %d starts in a row failed; it is not started again", self._name, MOST_STARTS)
            raise
        self._failed_starts = 0
        return program

    def _news(self, view: View) -> list[Message]:
        """Messages with everything about this hand that the program has not received yet."""
        key = (view.rules.digest, view.seat, known_at_start(view.begun, view.seat))
        if self._sent is not None and self._sent[0] == key and _begins(view.events, self._sent[1]):
            known, messages = len(self._sent[1]), []
        else:
            known, messages = 0, [wire.hand(view)]
        if len(view.events) > known:
            messages.append(wire.events([event.to_json() for event in view.events[known:]]))
        self._sent = (key, view.events)
        return messages

    def close(self) -> None:
        """Ask the program to exit."""
        if self._program is not None and self._program.ours:
            self._program.close()
        self._program = None

    def __enter__(self) -> ProgramBot:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _begins(events: Sequence[Event], sent: Sequence[Event]) -> bool:
    """Whether `events` begin with those sent before. The end of a hand may show their hidden cards."""
    return len(sent) <= len(events) and all(
        one is other or one == other or (None in one.cards and (one.seat, one.type) == (other.seat, other.type))
        for one, other in zip(sent, events, strict=False)
    )


def tell_end(state: State, bots: Sequence[Bot]) -> None:
    """Tell the programs among the bots in seats 0, 1 … how the hand has ended."""
    for seat, one in enumerate(bots):
        if isinstance(one, ProgramBot):
            one.watch(state.view(seat))


@lru_cache(maxsize=64)
def _program(command: str, seed: int, seconds: float) -> ProgramBot:
    return ProgramBot(command, seconds=seconds)


def forget_programs() -> None:
    """`player` makes every program anew, also one that is not started again."""
    _program.cache_clear()


def player(name: str, *, seed: int = 0, seconds: float = 5.0, rules: Rules | None = None) -> Bot:
    """As `dasan.bot`, or the program whose command follows `cmd:` (the same process for the same seed).

    Never pass an untrusted name: the command runs with the rights of this process.
    """
    if name.startswith(PROGRAM):
        return _program(name.removeprefix(PROGRAM), seed, seconds)
    if ("/" in name or " " in name) and not name.startswith(NETWORK):
        raise ValueError(f"there is no bot {shown(name)}; a program takes part as {shown(PROGRAM + name)}")
    return bot(name, seed=seed, rules=rules)
