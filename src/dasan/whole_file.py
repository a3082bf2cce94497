"""Files that are replaced whole, so that a crash never leaves half of one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, EFBIG, EIO, ENOSPC
from functools import partial
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole_file(file: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A stream whose content becomes `file` if the block ends without an error; until then `file` stays as it is.

    The name of an unfinished file is hidden, so that readers of a folder skip it.

    mode: the permissions of the file, less those that the process's umask removes.

    OSError: the file cannot be written.
    """
    part = file.with_name(f".{file.name}.tmp")
    try:
        with naming(file), open(part, "wb", opener=partial(os.open, mode=mode)) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def naming(file: Path) -> Iterator[None]:
    """Name `file` in the error of a write that fails, for example because the disk is full: the system names no file there."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno in (ENOSPC, EDQUOT, EFBIG, EIO):
            error.filename = str(file)
        raise
