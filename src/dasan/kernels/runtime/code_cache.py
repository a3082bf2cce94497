"""An on-disk cache of machine code, so that a function is compiled once and not in every process.

Numba's own cache invalidates a function only when the file that contains it changes. This cache has one folder for each
digest of everything that a module's machine code depends on: the sources of all kernel modules that it reaches, the
constants that they use, and the versions of Numba, NumPy and Python. Any source change selects a new cache folder, so stale
code is never loaded and nothing written by another release is unpickled. An unreadable entry is compiled again; where the
folder cannot be written, nothing is cached.

Of several processes that need the same function at the same time one compiles it, and the others wait and load it.
"""

from __future__ import annotations

import gc
import hashlib
import inspect
import os
import shutil
import sys
import time
from collections.abc import Callable
from functools import cache, cached_property, wraps
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
import platformdirs
from numba import config
from numba.core import caching
from numba.core.compiler_lock import global_compiler_lock

from dasan.kernels.runtime.libraries import parts_of

try:
    import fcntl
except ImportError:  # Windows: processes may compile the same function at the same time
    fcntl = None  # type: ignore[assignment]

MOST_FOLDERS = 6
"""Cache folders kept for each module; the least recently used are removed."""

PATIENCE = 120.0
"""Seconds to wait for another process that compiles a function, before this one compiles it too."""

_CANNOT = (OSError, TypeError)
"""Errors that mean "not cached": a full disk, a read-only folder, a function whose module has no file."""

_ALWAYS = ("runtime.compiled",)


def root() -> Path:
    """The parent of the cache folders: NUMBA_CACHE_DIR if it is set, else the user's cache folder."""
    chosen = config.CACHE_DIR  # type: ignore[attr-defined]
    return Path(chosen) if chosen else platformdirs.user_cache_path("dasan", appauthor=False) / "kernels"


@cache
def folder(module: str) -> Path:
    """The cache folder of a module, created if necessary. OSError: it cannot be created."""
    path = root() / f"{module}-{_fingerprint(module)}"
    if path.is_dir():
        os.utime(path)
    else:
        path.mkdir(parents=True, exist_ok=True)
        _let_go(path.parent, module)
    return path


def _let_go(parent: Path, module: str) -> None:
    """Remove the least recently used folders of a module."""
    mine = [path for path in parent.glob(f"{module}-*") if path.is_dir()]
    mine.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in mine[MOST_FOLDERS:]:
        shutil.rmtree(path, ignore_errors=True)


def _fingerprint(module: str) -> str:
    """A digest of everything that a module's machine code depends on, except the processor, which Numba checks."""
    seen = hashlib.sha256()
    versions = (numba.__version__, np.__version__, sys.implementation.cache_tag)
    settings = (config.BOUNDSCHECK, config.OPT, config.DEBUGINFO_DEFAULT)  # type: ignore[attr-defined]
    seen.update(repr((versions, [str(setting) for setting in settings])).encode())
    for name in sorted(_reached(module)):
        own = sys.modules[name]
        seen.update(Path(inspect.getfile(own)).read_bytes())
        seen.update(repr(sorted((at, number) for at, value in vars(own).items() if (number := _number(value)))).encode())
    return seen.hexdigest()[:16]


def _number(value: object) -> str | None:
    """The text of a global value that Numba would compile in as a constant; None for other values."""
    if isinstance(value, np.ndarray):
        return hashlib.sha256(value.tobytes()).hexdigest()
    if isinstance(value, tuple) and type(value) is tuple:
        return repr([_number(part) for part in value])
    return repr(value) if isinstance(value, int | float | np.generic) else None


def _reached(module: str) -> set[str]:
    """The names of a module and of all kernel modules that it imports from, directly or not."""
    package = (__package__ or "").rpartition(".")[0]
    modules = {f"{package}.{name}" for name in _ALWAYS}
    ahead = [module]
    while ahead:
        name = ahead.pop()
        modules.add(name)
        for value in vars(sys.modules[name]).values():
            origin = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
            if isinstance(origin, str) and origin.startswith(f"{package}.") and origin not in modules:
                ahead.append(origin)
    return modules


class _SourceLocator(caching._CacheLocator):
    """Tells Numba which files belong to a function."""

    def __init__(self, function: Callable[..., Any], source: str) -> None:
        self._py_file = source
        self._line = function.__code__.co_firstlineno
        self._folder = folder(function.__module__)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _SourceLocator:
        return cls(py_func, py_file)

    def ensure_cache_path(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Results(caching.CompileResultCacheImpl):
    _locator_classes = [_SourceLocator]  # noqa: RUF012


class _Files(caching.FunctionCache):
    _impl_class = _Results

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        """Types and processor. The free variables of a closure are left out: Numba pickles them, which gives different bytes in
        every process, and the folder already depends on all sources that they come from.
        """
        return sig, codegen.magic_tuple()


class CodeCache(caching._Cache):
    """The cached machine code of one function, behind the interface that Numba's dispatcher expects."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._depth = 0
        self._lock: int | None = None

    @cached_property
    def _files(self) -> Any:
        files: Any = _Files
        return files(self._function)

    @property
    def cache_path(self) -> str:
        try:
            return str(self._files.cache_path)
        except _CANNOT:
            return ""

    def once(self, compile: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """A dispatcher's `compile` that keeps other processes from compiling the same function meanwhile.

        The garbage collector is paused, for all threads of the process: compilers create millions of objects that stay, and
        scanning them repeatedly takes an eighth of the time.
        """

        @wraps(compile)
        def locked(sig: Any) -> Any:
            with global_compiler_lock:
                self._depth += 1  # a recursive function compiles itself for other types
                collecting = gc.isenabled()
                gc.disable()
                try:
                    return compile(sig)
                finally:
                    if collecting:
                        gc.enable()
                    self._depth -= 1
                    if self._depth == 0:
                        self._release()

        return locked

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function, or None if there is no readable entry. After None this process holds the lock,
        unless there are no locks or it has waited for too long.
        """
        loaded = self._load(sig, target_context)
        return self._load(sig, target_context) if loaded is None and self._waited() else loaded

    def _load(self, sig: Any, target_context: Any) -> Any:
        try:
            loaded = self._files.load_overload(sig, target_context)
            if loaded is not None and loaded.signature.args != getattr(sig, "args", sig):
                raise ValueError("a file of another index: code for arguments of other types")
        except Exception:
            self.flush()
            return None
        return loaded

    def _waited(self) -> bool:
        """Take the function's lock, and say whether another process had it. Without file locks, or after `PATIENCE`, do not."""
        if fcntl is None or self._depth == 0 or self._lock is not None:
            return False
        try:
            path = Path(self._files.cache_path, f"{self._files._impl.filename_base}.lock")
            self._lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except _CANNOT:
            return False
        end = time.monotonic() + PATIENCE
        waited = False
        while time.monotonic() < end:
            try:
                fcntl.lockf(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except (BlockingIOError, PermissionError):
                waited = True
                time.sleep(0.02)
            except OSError:
                break  # this file system has no locks
            else:
                return waited
        self._release()
        return waited

    def _release(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)

    def holds(self, sig: Any, target_context: Any) -> bool:
        """Whether there is a compiled function for these types of arguments, as far as the index says."""
        try:
            key = self._files._index_key(sig, target_context.codegen())
            return key in self._files._cache_file._load_index()
        except Exception:
            return False

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            self._files.save_overload(sig, data._replace(reload_init=[*data.reload_init, *parts_of(data.library)]))
        except _CANNOT:
            return

    def enable(self) -> None:
        self._files.enable()

    def disable(self) -> None:
        self._files.disable()

    def flush(self) -> None:
        try:
            self._files.flush()
        except _CANNOT:
            return
