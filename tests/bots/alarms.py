"""Which tests need an alarm that interrupts a bot."""

from __future__ import annotations

import signal

import pytest

needs_alarms = pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="this system has no signal.setitimer, which interrupts a bot"
)

RUNG: list[int] = []
"""The signals of alarms, where a test notes them for a module that waits for the next one."""
