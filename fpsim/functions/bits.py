"""The bits of a binary64 number, and the 128-bit product of two 64-bit words, inside compiled code.

Numba offers no reinterpretation of a scalar that a type checker accepts and no wide product; LLVM has both, as a
`bitcast` and as arithmetic on 128-bit integers, and each becomes one or two machine instructions.

A trap for readers of the kernels: numba turns `uint64 + int64` into binary64.  Integer constants that meet a uint64
are therefore written as `np.uint64` globals.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

__all__ = ["bits_of", "from_bits", "mul_wide"]


@intrinsic  # type: ignore[untyped-decorator]
def bits_of(typing_context: Any, x: Any) -> Any:
    """The 64 bits of the binary64 number x, as a uint64 (inside compiled code only; any x, NaN included)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.uint64(types.float64), generate


@intrinsic  # type: ignore[untyped-decorator]
def from_bits(typing_context: Any, bits: Any) -> Any:
    """The binary64 number whose 64 bits are the uint64 `bits` (inside compiled code only)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def mul_wide(typing_context: Any, a: Any, b: Any) -> Any:
    """(high, low) words of the exact 128-bit product of two uint64 numbers (inside compiled code only)."""
    pair = types.UniTuple(types.uint64, 2)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, wide = ir.IntType(64), ir.IntType(128)
        product = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
        high = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), word)
        return context.make_tuple(builder, pair, [high, builder.trunc(product, word)])

    return pair(types.uint64, types.uint64), generate
