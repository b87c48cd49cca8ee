"""The named number formats, as data.

Sources: IEEE 754-2019 (fp16, fp32, fp64, fp128); OCP OFP8 1.0 (e4m3, e5m2); OCP MX 1.0 (e3m2, e2m3, e2m1); the tf32 of
NVIDIA A100 and the bfloat16 of TPUs (8 exponent bits, 10 and 7 fraction bits); Noune et al., arXiv:2206.02915, for the
formats with one zero and one NaN (fnuz).  `nf4` is a grid: its file is in the folder `grids`.
"""

from __future__ import annotations

from dataclasses import dataclass

from fpsim.valueset import Layout, Overflow

__all__ = ["FORMATS", "SHIPPED_GRIDS", "Format"]


@dataclass(frozen=True)
class Format:
    """A binary floating-point format.

    `precision`: bits of the significand with the leading one.  `emin`, `emax`: exponents of the least normal and of the
    greatest binade, values being +-m * 2^(e - precision + 1).  `top`: how many significands the greatest binade lacks
    at its upper end (0: all are numbers; e4m3 gives one to NaN).  `layout`: which codes mean inf and NaN ("ieee",
    "fn", "fnuz", "none").  `overflow`: the default policy.
    """

    precision: int
    emin: int
    emax: int
    layout: Layout
    overflow: Overflow
    top: int = 0


FORMATS: dict[str, Format] = {
    "fp64": Format(53, -1022, 1023, "ieee", "inf"),
    "fp32": Format(24, -126, 127, "ieee", "inf"),
    "tf32": Format(11, -126, 127, "ieee", "inf"),
    "bf16": Format(8, -126, 127, "ieee", "inf"),
    "fp16": Format(11, -14, 15, "ieee", "inf"),
    "e5m2": Format(3, -14, 15, "ieee", "inf"),
    "e4m3": Format(4, -6, 8, "fn", "nan", top=1),
    "e3m2": Format(3, -2, 4, "none", "saturate"),
    "e2m3": Format(4, 0, 2, "none", "saturate"),
    "e2m1": Format(2, 0, 2, "none", "saturate"),
    "e4m3fnuz": Format(4, -7, 7, "fnuz", "nan"),
    "e5m2fnuz": Format(3, -15, 15, "fnuz", "nan"),
    "fp128": Format(113, -16382, 16383, "ieee", "inf"),
}

SHIPPED_GRIDS = ("nf4",)
