"""How Numba keeps the code of functions that only compiled code calls: woven into their callers, or apart from them.

Numba links the intermediate code of every callee into each of its callers, optimises both together, and makes machine code of
both again. A woven function, which its callers take in whole, needs no machine code of its own; a function apart needs none in
its callers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from llvmlite.binding import Linkage, parse_assembly  # type: ignore[import-untyped]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import cpu_target


class Part(NamedTuple):
    """Machine code that other machine code calls by its symbol. Called, it is loaded into the process, unless it is there.

    state: as Numba writes a library. needs: what it calls itself.
    """

    symbol: str
    state: Any
    needs: tuple[Part, ...]

    def __call__(self) -> None:
        if self.symbol not in _PARTS:
            for part in self.needs:
                part()
            cpu_target.target_context.codegen().unserialize_library(self.state)
            _PARTS[self.symbol] = self


_PARTS: dict[str, Part] = {}
"""The parts in this process, by their symbols."""


def parts_of(library: Any) -> Iterator[Part]:
    """The parts that the code of a library is or calls."""
    return (_PARTS[function.name] for function in library._final_module.functions if function.name in _PARTS)


class _WovenLibrary(JITCodeLibrary):
    """The intermediate code of a woven function. Its callers optimise it as part of theirs, and it never runs by itself.

    Optimising it here as well, and making machine code of it, would take a sixth of the compile time.
    """

    def _optimize_final_module(self) -> None:
        """Inline woven callees, and drop the references to Python objects that nothing uses: Numba would not cache them."""
        passes, builder = self._codegen._module_pass_manager(opt=0, loop_vectorize=False, slp_vectorize=False)  # type: ignore[no-untyped-call]
        passes.add_dead_code_elimination_pass()
        passes.add_global_dead_code_eliminate_pass()
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        """Give the engine nothing but the variable in which Numba stores a function's environment."""
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._verify_declare_only_symbols()  # type: ignore[no-untyped-call]
        environments = (variable.name for variable in self._final_module.global_variables if "NumbaEnv" in variable.name)
        own = "\n".join(f'@"{name}" = common global ptr null' for name in environments)
        self._codegen._add_module(parse_assembly(own))  # type: ignore[no-untyped-call]
        self._finalized = True

    def serialize_using_object_code(self) -> Any:
        return self.serialize_using_bitcode()  # type: ignore[no-untyped-call]


class _ApartLibrary(JITCodeLibrary):
    """The machine code of a function that is apart. Callers link with its symbol only, and load it as a `Part`."""

    def _optimize_final_module(self) -> None:
        """Twice: Numba would do it again in the callers, and a step of Winner takes about 3 % longer without."""
        for _ in range(2):
            super()._optimize_final_module()  # type: ignore[no-untyped-call]

    def _finalize_final_module(self) -> None:
        super()._finalize_final_module()  # type: ignore[no-untyped-call]
        self._shared_module = parse_assembly("")
        needs = tuple(parts_of(self))
        state = self._state(self._get_compiled_object())  # type: ignore[no-untyped-call]
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                _PARTS[function.name] = Part(function.name, state, needs)

    def serialize_using_object_code(self) -> Any:
        """Nothing: the cache adds the part."""
        return self._state(b"")

    def _state(self, code: bytes) -> Any:
        shared: Any = self._shared_module
        return self.name, "object", (code, shared.as_bitcode())


def _compiler(kind: type[JITCodeLibrary]) -> type[Compiler]:
    """Compiles a function into a library of this kind."""

    class Into(Compiler):
        def compile_extra(self, func: Callable[..., Any]) -> Any:
            self.state.library = kind(self.state.targetctx.codegen(), func.__qualname__)
            self.state.library.enable_object_caching()
            return super().compile_extra(func)  # type: ignore[no-untyped-call]

    return Into


WOVEN, APART = _compiler(_WovenLibrary), _compiler(_ApartLibrary)
