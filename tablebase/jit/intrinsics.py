"""How kernels are compiled: the one place that sets numba's options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

__all__ = ["copy_eight", "fetch", "kernel", "part", "popcount"]

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    "_nrt": False,
}


def kernel(function: F) -> F:
    """Compile ``function`` on its first call, keep the result on disk, and run it without the GIL.

    Kernels get every table as an argument: numba's cache does not notice a constant that changed
    in another module. They allocate nothing: without numba's reference counts, whose atomic
    operations cost as much as the work on a row of words, they cannot.
    """
    compiled: F = numba.njit(cache=True, **_OPTIONS)(function)
    return compiled


def part(function: F) -> F:
    """Compile ``function`` into each kernel that calls it.

    Handing tuples of arrays to a function of its own costs as much as the work on a row.
    """
    compiled: F = numba.njit(inline="always", **_OPTIONS)(function)
    return compiled


def _popcount(typing_context: Any, word: Any) -> Any:
    """The number of bits set in a 64-bit word."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


def _fetch(typing_context: Any, array: Any, index: Any) -> Any:
    """``array[index]`` for one axis and an index known not to be negative.

    Numba checks each signed index for counting from the end, and that check keeps a loop over
    ``start + t`` from being vectorised.
    """

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        data = context.make_array(array)(context, builder, args[0]).data
        return builder.load(builder.gep(data, [args[1]]))

    return array.dtype(array, types.intp), codegen


def _copy_eight(typing_context: Any, target: Any, at: Any, source: Any, start: Any) -> Any:
    """Copy eight bytes, ``target[at:at + 8] = source[start:start + 8]``, between byte arrays of one
    axis, as one load and one store."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        kinds = signature.args
        to = context.make_array(kinds[0])(context, builder, args[0]).data
        source = context.make_array(kinds[2])(context, builder, args[2]).data
        word = ir.IntType(64)

        def cast(pointer: Any, index: Any) -> Any:
            return builder.bitcast(builder.gep(pointer, [index]), word.as_pointer())

        value = builder.load(cast(source, args[3]), align=1)
        builder.store(value, cast(to, args[1]), align=1)
        return context.get_dummy_value()

    return types.void(target, types.intp, source, types.intp), codegen


# A kernel calls these without the first argument, which type checkers cannot know.
popcount: Any = intrinsic(_popcount)
fetch: Any = intrinsic(_fetch)
copy_eight: Any = intrinsic(_copy_eight)
