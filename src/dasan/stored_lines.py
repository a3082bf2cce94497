"""Files of one JSON object per line, to which a program appends while it works."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


def stored_lines(file: Path, begins: bytes) -> Iterator[str]:
    """The lines of the file that are not blank.

    A last line without a line break, which a crash has cut off, is not among them. It is removed from the file once the
    caller has taken all others without an error, so that a file of something else stays as it is. begins: the beginning
    of every line, by which a file with only such a line is known. OSError, UnicodeDecodeError: the file cannot be read.
    ValueError: it is a pipe or a device, which may have no end.

    A byte order mark, which some editors write, is skipped.
    """
    if not file.is_file() and not file.is_dir():
        raise ValueError("it is not a regular file")
    text = file.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    torn = len(whole) < len(text) and (bool(whole.strip()) or text.startswith(begins))
    for line in (whole if torn else text).decode("utf-8-sig").splitlines():
        if line.strip():
            yield line
    if torn:
        os.truncate(file, len(whole))
