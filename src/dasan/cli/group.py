"""The command group: `dasan` alone means `dasan play`, and every error is one clear line."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from dasan.errors import DasanError

DEFAULT = "play"
_OF_THE_GROUP = ("-h", "--help", "--version", "--install-completion", "--show-completion")


class Refused(typer.TyperException):
    """What the user asked for cannot be done; the message is one sentence."""

    exit_code = 2


class Group(TyperGroup):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Options without a command are those of `dasan play`."""
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
        """Run a command; every refusal is one line on stderr and exit code 2."""
        for stream in (sys.stdin, sys.stdout, sys.stderr):
            # Undecodable bytes, or a terminal that cannot show ♥, must not stop the program.
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except typer.TyperException as error:
            _complain(error.format_message())
        except DasanError as error:
            _complain(str(error))
        except typer.Abort:
            sys.exit(130)
        if standalone_mode:
            sys.exit(code if isinstance(code, int) else 0)
        return code


def _complain(message: str) -> None:
    line = " ".join("".join(c if c.isprintable() or c.isspace() else "?" for c in message).split())
    typer.echo(f"dasan: {line}", err=True)
    sys.exit(2)
