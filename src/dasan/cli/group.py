"""The command group: `dasan` alone means `dasan play`, and every error is one line."""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from dasan.cli.output import warn
from dasan.errors import DasanError

DEFAULT = "play"
_OF_THE_GROUP = ("-h", "--help", "--version", "--install-completion", "--show-completion")


class CannotRun(typer.TyperException):
    """A request that cannot be carried out; the message is one sentence."""

    exit_code = 2


@contextmanager
def refused(*kinds: type[Exception]) -> Iterator[None]:
    """Turn these errors, whose messages are one sentence, into `CannotRun`."""
    try:
        yield
    except kinds as error:
        raise CannotRun(sentence(error)) from error


@contextmanager
def writing(file: Path | str) -> Iterator[None]:
    """Turn an OSError of this file, or of its stream, into `CannotRun`."""
    try:
        yield
    except OSError as error:
        raise CannotRun(f"cannot write {file}: {error.strerror or error}") from error


def sentence(error: Exception) -> str:
    """The message of an error, without an error of the system's number."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    return error.strerror if error.filename is None else f"cannot read or write {error.filename}: {error.strerror}"


class Group(TyperGroup):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Pass options without a command to `dasan play`."""
        if not args or (args[0].startswith("-") and args[0].partition("=")[0] not in _OF_THE_GROUP):
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command. A refusal is one line on stderr and exit code 2. An interrupt exits with 130; a closed pipe, as after
        `| head -1`, with 141 and no message.
        """
        for stream in (sys.stdin, sys.stdout, sys.stderr):
            # Replace bytes that are not UTF-8, and characters that the terminal lacks, such as ♥.
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        printing = sys.stdout
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
            sys.stdout.flush()
            if code == STOPPED:
                raise KeyboardInterrupt  # Typer has turned it into an exit code
        except typer.TyperException as error:
            _stop(error.format_message().replace("Value error, ", ""))
        except DasanError as error:
            _stop(str(error))
        except (typer.Abort, KeyboardInterrupt):
            _stop("stopped", STOPPED)
        except MemoryError as error:
            _stop(str(error) or "there is not enough memory for this")
        except OSError as error:
            _silence(printing)
            if error.errno == errno.EPIPE:
                sys.exit(GONE)
            _stop(sentence(error) if error.filename else f"cannot write the output: {error.strerror or error}")
        except SystemExit as left:
            if left.code != 1:
                raise
            # Typer and rich raise this only if a pipe is closed.
            _silence(printing)
            raise SystemExit(GONE) from left
        if standalone_mode:
            sys.exit(code if isinstance(code, int) else 0)
        return code


STOPPED = 130
"""The exit code after Ctrl-C."""
GONE = 141
"""The exit code after writing to a closed pipe, as in shells."""
MOST_DIGITS = 40
"""The most digits of a number that an error shows."""
_LONG = re.compile(rf"[0-9,]{{{MOST_DIGITS + 1},}}…?")


def _stop(message: str, code: int = 2) -> None:
    try:
        if message:  # a group without a command prints its help instead
            warn(f"dasan: {_LONG.sub(lambda number: number[0][:MOST_DIGITS] + '…', message)}")
    except OSError:
        _silence(sys.stderr)  # the exit code still says so
    sys.exit(code)


def _silence(stream: Any) -> None:
    """Redirect a broken stream to the null device, because flushing its buffer would fail again at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):
        return
