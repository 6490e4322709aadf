"""Operations that numba has no name for, or none without a check that costs too much."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

__all__ = ["copy_eight", "fetch", "popcount"]


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
        source = context.make_array(array)(context, builder, args[0])
        _check_bounds(context, builder, source, args[1])
        return builder.load(builder.gep(source.data, [args[1]]))

    return array.dtype(array, types.intp), codegen


def _copy_eight(typing_context: Any, target: Any, at: Any, source: Any, start: Any) -> Any:
    """Copy eight bytes, ``target[at:at + 8] = source[start:start + 8]``, between byte arrays of one
    axis, as one load and one store."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)

        def eight(number: int) -> Any:
            kind, start = signature.args[number], args[number + 1]
            array = context.make_array(kind)(context, builder, args[number])
            _check_bounds(context, builder, array, start)
            _check_bounds(context, builder, array, builder.add(start, start.type(7)))
            return builder.bitcast(builder.gep(array.data, [start]), word.as_pointer())

        value = builder.load(eight(2), align=1)
        builder.store(value, eight(0), align=1)
        return context.get_dummy_value()

    return types.void(target, types.intp, source, types.intp), codegen


def _check_bounds(context: Any, builder: ir.IRBuilder, array: Any, index: Any) -> None:
    """Raise ``IndexError`` for an index out of bounds if numba is told to check them."""
    if context.enable_boundscheck:
        length = cgutils.unpack_tuple(builder, array.shape, 1)[0]
        cgutils.do_boundscheck(context, builder, index, length)


# A kernel calls these without the first argument, which type checkers cannot know.
popcount: Any = intrinsic(_popcount)
fetch: Any = intrinsic(_fetch)
copy_eight: Any = intrinsic(_copy_eight)
