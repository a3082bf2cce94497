"""Running a command."""

from __future__ import annotations

from typer.testing import CliRunner, Result

from dasan.cli import app


def cli(*arguments: object, stdin: str | bytes | None = None, **environment: str) -> Result:
    return CliRunner(env=environment).invoke(app, [str(a) for a in arguments], input=stdin, catch_exceptions=False)


def output(*arguments: object, stdin: str | bytes | None = None, **environment: str) -> str:
    """The output of a command that succeeds."""
    result = cli(*arguments, stdin=stdin, **environment)
    assert result.exit_code == 0, result.output
    return result.stdout


def refusal(*arguments: object, stdin: str | bytes | None = None) -> str:
    """The one line with which a command fails, having printed nothing else."""
    result = cli(*arguments, stdin=stdin)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("dasan: ")
    return result.stderr.removeprefix("dasan: ").rstrip("\n")
