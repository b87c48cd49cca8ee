"""The bits of a binary64 number, and the 128-bit product of two 64-bit words, inside compiled code.

Numba offers no reinterpretation of a scalar that a type checker accepts and no wide product; LLVM has both, as a
`bitcast` and as arithmetic on 128-bit integers, and each becomes one or two machine instructions.  The three functions
exist in compiled code only.

A trap for readers of the kernels: numba turns `uint64 + int64` into binary64.  Integer constants that meet a uint64
are therefore written as `np.uint64`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

__all__ = ["bits32_of", "bits_of", "from_bits", "from_bits32", "mul_wide"]

_WORD = ir.IntType(64)
_WIDE = ir.IntType(128)
_HALF_WORD = ir.IntType(32)


@intrinsic  # type: ignore[untyped-decorator]
def _bits_of(typing_context: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], _WORD)

    return types.uint64(types.float64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _from_bits(typing_context: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _bits32_of(typing_context: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], _HALF_WORD)

    return types.uint32(types.float32), generate


@intrinsic  # type: ignore[untyped-decorator]
def _from_bits32(typing_context: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.FloatType())

    return types.float32(types.uint32), generate


@intrinsic  # type: ignore[untyped-decorator]
def _mul_wide(typing_context: Any, a: Any, b: Any) -> Any:
    pair = types.Tuple((types.uint64, types.uint64))

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        product = builder.mul(builder.zext(arguments[0], _WIDE), builder.zext(arguments[1], _WIDE))
        high = builder.trunc(builder.lshr(product, ir.Constant(_WIDE, 64)), _WORD)
        return context.make_tuple(builder, pair, [high, builder.trunc(product, _WORD)])

    return pair(types.uint64, types.uint64), generate


# Untyped as numba has them; the casts give the types of a call from a kernel.
bits_of = cast("Callable[[float], np.uint64]", _bits_of)
"""The 64 bits of a binary64 number, NaN included, as a uint64."""

from_bits = cast("Callable[[np.uint64], float]", _from_bits)
"""The binary64 number with the given 64 bits."""

bits32_of = cast("Callable[[np.float32], np.uint32]", _bits32_of)
"""The 32 bits of a binary32 number, as a uint32."""

from_bits32 = cast("Callable[[np.uint32], np.float32]", _from_bits32)
"""The binary32 number with the given 32 bits."""

mul_wide = cast("Callable[[np.uint64, np.uint64], tuple[np.uint64, np.uint64]]", _mul_wide)
"""(high, low) words of the exact 128-bit product of two uint64 numbers."""
