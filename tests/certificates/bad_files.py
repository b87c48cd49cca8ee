"""The files of the corpus that a checker must not verify: false claims, and bytes that are no certificate.

The name of each begins with the verdict that is right: refuted, malformed, undecided or unsupported.
"""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["bad_files"]

FP16, C1E4 = "flarge-fp16", "nmax-fp16-g1-C1e4"
TABLE, IRRATIONAL = "period-table-84-fp16", "period-irrational-fp16-1"

P_A, P_NOT, MOD, MOD_NOT = (
    "language-P-begins-with-a",
    "language-P-not-even",
    "language-MOD-ab",
    "language-MOD-not-parity",
)
MODULUS = "modulus-e4m3-12"
FREE, FREE_NOT = "language-star-free-ab-inside", "language-star-free-not-parity"
NO_WORDS = {"w": [], "u": [], "z": [], "v": [], "s": []}
SIMULATION = {
    "dfa": {"accepting": [0], "alphabet": ["a"], "delta": [[1], [0]], "initial": 0},
    "kind": "simulation",
    "length": 3,
    "model": "0" * 64,
    "order": "sequential",
}
RUN = {"exhaustive_to": 3, "states": None, "words": 4}
ORDER = {"formula": None, "k": 1, "moduli": [1, 1], "phases": [0, 0], "ranks": [0, 1]}

# name: the good file, and what is said in it in place of the truth
REFUTED: dict[str, tuple[str, dict[str, Any]]] = {
    "flarge-one-ulp-more": (FP16, {"claim.value": "457p-6"}),
    "flarge-one-ulp-less": (FP16, {"claim.value": "455p-6"}),
    "flarge-none-where-there-is-one": (FP16, {"claim.value": None}),
    "flarge-one-where-there-is-none": ("flarge-fp16-up-none", {"claim.value": "22bp-5"}),
    "flarge-of-fp16-said-of-bf16": ("flarge-bf16", {"claim.value": "22bp-5"}),
    "flarge-not-in-F": (FP16, {"claim.value": "22bp-3000"}),
    "flarge-between-values": (FP16, {"claim.value": "45601p-14"}),
    "flarge-0": (FP16, {"claim.value": 0}),
    "flarge-negative": (FP16, {"claim.value": "-22bp-5"}),
    "flarge-beyond-range": (FP16, {"claim.value": 70_000}),
    "flarge-third-in-fp16": (FP16, {"claim.value": "52/3"}),
    "flarge-precision-10": (FP16, {"claim.F.precision": 10, "claim.F.largest": 65472}),
    "flarge-emin-less-by-1": (FP16, {"claim.F.emin": -15}),
    "flarge-rounding-down": (FP16, {"claim.F.rounding": "down"}),
    "flarge-ftz": (FP16, {"claim.F.ftz": True}),
    "flarge-fp128-one-ulp-more": ("flarge-fp128", {"claim.value": "2ca9bb3b90a4ee7e8a28cc7e6c1p-94"}),
    "flarge-fp64-one-ulp-more": ("flarge-fp64", {"claim.value": "1749110cf4e8d3p-43"}),
    "flarge-grid-next-value": ("flarge-grid-thirds", {"claim.value": 4}),
    "flarge-grid-value-gone": (
        "flarge-grid-one-sided",
        {"claim.F.values": [0, "1p-3", "1p-1", 1, 2, 5]},
    ),
    "flarge-of-2-to-the-million": (
        FP16,
        {"claim.F.largest": "1p1000000", "claim.F.precision": 240, "claim.value": "1p1000000"},
    ),
    "modulus-m-plus-1": (MODULUS, {"claim.m": 13}),
    "modulus-m-minus-1": (MODULUS, {"claim.m": 11}),
    "modulus-C-halved-twice": (MODULUS, {"claim.C": 56}),
    "modulus-C-beyond-range": (MODULUS, {"claim.C": 465}),
    "modulus-C-448-overflows": (MODULUS, {"claim.C": 448}),
    "modulus-pairwise-sums-become-nan": (MODULUS, {"claim.regime.order": "pairwise"}),
    "modulus-wide-sums-become-nan": (
        "modulus-wide-fixed-8.4-4",
        {"claim.regime.order.wide.overflow": "nan"}
        | {"claim.regime.order.wide.kind": "grid", "claim.regime.order.wide.values": [0, 1, 2]}
        | {f"claim.regime.order.wide.{name}": ... for name in ("precision", "emin", "largest", "ftz")},
    ),
    "modulus-without-f-large": ("modulus-e5m2-8", {"claim.F.rounding": "up", "claim.regime.values.rounding": "up"}),
    "modulus-precision-3": (MODULUS, {"claim.F.precision": 3, "claim.regime.values.precision": 3}),
    "modulus-without-1": (
        "modulus-grid-sevenths-2",
        {name: ["-4/7", "-2/7", 0, "2/7", "4/7"] for name in ("claim.F.values", "claim.regime.values.values")},
    ),
    "modulus-bf16-next-m": ("modulus-bf16-40", {"claim.m": 41}),
    "flarge-step-halved": ("flarge-fixed-8.3", {"claim.F.step": "1p-4"}),
    "nmax-fp16-value-plus-1": (C1E4, {"claim.value": 44}),
    "nmax-fp16-value-minus-1": (C1E4, {"claim.value": 42}),
    "nmax-fp16-value-doubled": (C1E4, {"claim.value": 86}),
    "nmax-fp16-value-vacuous": (C1E4, {"claim.value": 0, "hints.fails": [2, 0]}),
    "nmax-fp32-value-plus-1": ("nmax-fp32-g1-C1e12", {"claim.value": 710}),
    "nmax-fp32-value-minus-1": ("nmax-fp32-g1-C1e12", {"claim.value": 708}),
    "nmax-fp64-value-plus-1": ("nmax-fp64-g1-C1e18", {"claim.value": 80143857}),
    "nmax-fp64-value-minus-1": ("nmax-fp64-g1-C1e18", {"claim.value": 80143855}),
    "nmax-fp128-value-plus-1": ("nmax-fp128-g1-C1e37", {"claim.value": 30246273033735921}),
    "nmax-fp128-value-minus-1": ("nmax-fp128-g1-C1e37", {"claim.value": 30246273033735919}),
    "nmax-fp16-C-one-digit": (C1E4, {"claim.C": 1000}),
    "nmax-fp16-C-tiny": (C1E4, {"claim.C": "1p-40"}),
    "nmax-fp16-C-beyond-range": (C1E4, {"claim.C": 10**6}),
    "nmax-fp16-k-2": (C1E4, {"claim.k": 2}),
    "nmax-fp16-g-one-digit": (C1E4, {"claim.g": "2"}),
    "nmax-fp16-g-a-little-more": (C1E4, {"claim.g": "101/100"}),
    "nmax-fp16-precision-7": (C1E4, {"claim.regime.values.precision": 7, "claim.regime.values.largest": 65024}),
    "nmax-fp16-rounding-zero": ("nmax-down-fp16", {"claim.regime.values.rounding": "zero", "claim.C": 900}),
    "nmax-e4m3-saturating-where-nan": ("nmax-e4m3-nan-pair-g1-C256", {"claim.criterion": "weight"}),
    "nmax-weight-said-of-gap": ("nmax-weight-nan-e4m3-g1-C256", {"claim.criterion": "gap"}),
    "nmax-softmax-without-f-large": (
        C1E4,
        {
            "claim.regime.softmax": {
                "kind": "grid",
                "overflow": "saturate",
                "rounding": "even",
                "values": [-1, 0, "1p-1", 1],
            }
        },
    ),
    "nmax-rotate-in-a-small-format": (
        C1E4,
        {
            "claim.regime.rotate": {
                "emin": -6,
                "ftz": False,
                "kind": "float",
                "largest": 448,
                "overflow": "nan",
                "precision": 4,
                "rounding": "even",
            }
        },
    ),
    "nmax-recurrence-said-of-phase-bf16": ("nmax-phase-bf16-g0.1", {"claim.realize": "recurrence"}),
    "nmax-k56-value-minus-1": ("nmax-bf16-k56-g0.098175", {"claim.value": 117}),
    "nmax-k56-value-plus-1": ("nmax-bf16-k56-g0.098175", {"claim.value": 119}),
    "nmax-k7-value-6-k-6": ("nmax-fp16-k7-g1-C40", {"claim.k": 6}),
    "nmax-vacuous-said-1": ("nmax-vacuous-fixed-8.4-g1-C7", {"claim.value": 1}),
    "nmax-grid-value-plus-1": ("nmax-grid-tenths", {"claim.value": 3, "hints.fails": [5, 1]}),
    "nmax-mixed-score-back-in-fp16": (
        "nmax-mixed-bf16-rotate-softmax-fp32",
        {"claim.regime.softmax": "values", "claim.value": 21, "hints.fails": [23, 3]},
    ),
    "nmax-with-a-good-looking-hint": (C1E4, {"claim.value": 40, "hints.fails": [42, 0], "hints.E": 0}),
    "nmax-E-0": (C1E4, {"claim.value": 50, "hints.E": 0, "hints.road": "returns"}),
    "nmax-range-lower-too-high": ("nmax-range-both-bf16-g1-C1e4", {"claim.lower": 21, "claim.upper": 30}),
    "nmax-range-upper-too-low": ("nmax-range-both-bf16-g1-C1e4", {"claim.lower": 10, "claim.upper": 19}),
    "nmax-range-upper-only-too-low": ("nmax-range-upper-only-fp16", {"claim.upper": 42}),
    "nmax-range-lower-only-too-high": (
        "nmax-range-lower-only-vacuous-fp16-k9",
        {"claim.lower": 60, "claim.upper": None, "hints.fails": None},
    ),
    "period-irrational-said-periodic": (
        IRRATIONAL,
        {"claim.verdict": "periodic", "claim.period": 44, "claim.preperiod": 0, "claim.eventual": 44},
    ),
    "period-irrational-said-eventually-constant": (IRRATIONAL, {"claim.preperiod": 7, "claim.eventual": 1}),
    "period-irrational-said-to-leave-F": (IRRATIONAL, {"claim.leaves": 65520}),
    "period-table-doubled": (TABLE, {"claim.period": 168, "claim.eventual": 168}),
    "period-table-halved": (TABLE, {"claim.period": 42, "claim.eventual": 42}),
    "period-table-plus-1": (TABLE, {"claim.period": 85, "claim.eventual": 85}),
    "period-table-said-non-periodic": (
        TABLE,
        {"claim.verdict": "non-periodic", "claim.period": None, "claim.preperiod": None, "claim.eventual": None},
    ),
    "period-table-of-a-great-prime": (TABLE, {"claim.theta": "2/1000000007*pi"}),
    "period-one-side-nan-too-late": ("period-left-F-one-side-ideal", {"claim.leaves": 4, "hints.positions": [4]}),
    "period-one-side-nan-too-early": ("period-left-F-one-side-phase", {"claim.leaves": 1, "hints.positions": [1]}),
    "period-table-another-angle": (TABLE, {"claim.theta": "1/41*pi"}),
    "period-table-divisor-said-to-be-m": (
        "period-table-12-constant-coarse",
        {"claim.period": 12, "claim.eventual": 12},
    ),
    "period-ideal-angle-without-pi": ("period-ideal-rational-turns-fp32", {"claim.theta": "5/18"}),
    "period-phase-leaves-later": ("period-phase-left-F-fp16", {"claim.leaves": 65521, "hints.positions": [65521]}),
    "period-phase-leaves-earlier": ("period-phase-left-F-fp16", {"claim.leaves": 65519, "hints.positions": [65519]}),
    "period-phase-said-to-repeat": ("period-phase-left-F-fp16", {"claim.leaves": None}),
    "period-counter-mu-plus-1": ("period-counter-constant-fp16", {"claim.preperiod": 2049}),
    "period-counter-mu-minus-1": ("period-counter-constant-fp16", {"claim.preperiod": 2047}),
    "period-counter-said-of-phase": ("period-counter-constant-fp16", {"claim.realize": "phase"}),
    "period-constant-with-period-2": ("period-counter-constant-fp16", {"claim.eventual": 2}),
    "period-recurrence-mu-plus-1": ("period-recurrence-fp16-1", {"claim.preperiod": 506}),
    "period-recurrence-mu-minus-1": ("period-recurrence-fp16-1", {"claim.preperiod": 504}),
    "period-recurrence-lambda-doubled": ("period-recurrence-fp16-1", {"claim.eventual": 88}),
    "period-recurrence-lambda-plus-1": ("period-recurrence-fp16-1", {"claim.eventual": 45}),
    "period-recurrence-never-repeats": (
        "period-recurrence-fp16-1",
        {"claim.preperiod": None, "claim.eventual": None},
    ),
    "period-recurrence-leaves-early": (
        "period-recurrence-fp16-1",
        {"claim.preperiod": None, "claim.eventual": None, "claim.leaves": 400},
    ),
    "period-recurrence-periodic-12": ("period-recurrence-periodic-e5m2", {"claim.period": 12, "claim.eventual": 12}),
    "period-recurrence-leaves-later": ("period-recurrence-leaves-F-e5m2-0.3", {"claim.leaves": 259}),
    "period-recurrence-leaves-before": ("period-recurrence-leaves-F-e5m2-0.3", {"claim.leaves": 257}),
    "period-recurrence-said-to-repeat": (
        "period-recurrence-leaves-F-e5m2-0.3",
        {"claim.leaves": None, "claim.preperiod": 100, "claim.eventual": 7},
    ),
    "period-coarse-said-non-periodic": (
        "period-coarse-constant",
        {"claim.verdict": "non-periodic", "claim.period": None, "claim.preperiod": None, "claim.eventual": None},
    ),
    "period-directed-said-constant-from-0": (
        "period-directed-witness-at-0",
        {"claim.verdict": "periodic", "claim.period": 1, "claim.preperiod": 0, "hints.positions": []},
    ),
    "period-directed-said-from-2": ("period-directed-witness-at-0", {"claim.preperiod": 2}),
    "language-P-said-of-even": (P_NOT, {"claim.member": True, "hints": ORDER}),
    "language-P-said-of-even-with-modulus-2": (
        P_NOT,
        {"claim.member": True, "hints": ORDER | {"k": 2, "moduli": [2], "phases": [0, 1], "ranks": [0, 0]}},
    ),
    "language-P-denied": (P_A, {"claim.member": False, "hints": {"w": [], "u": [0], "v": [], "s": []}}),
    "language-P-denied-with-words-of-one-state": (
        P_A,
        {"claim.member": False, "hints": {"w": [0], "u": [0], "v": [0], "s": []}},
    ),
    "language-MOD-said-of-parity": (MOD_NOT, {"claim.member": True, "hints": ORDER}),
    "language-MOD-said-of-parity-with-phases": (
        MOD_NOT,
        {"claim.member": True, "hints": ORDER | {"k": 2, "moduli": [2], "phases": [0, 1], "ranks": [0, 0]}},
    ),
    "language-MOD-denied": (MOD, {"claim.member": False, "hints": NO_WORDS}),
    "language-MOD-denied-with-words-of-two-lengths": (
        MOD,
        {"claim.member": False, "hints": NO_WORDS | {"u": [0], "z": [0, 1], "v": [1]}},
    ),
    "language-MOD-denied-without-u": (MOD, {"claim.member": False, "hints": NO_WORDS | {"v": [0, 1]}}),
    "language-MOD-an-edge-changed": (MOD, {"claim.dfa.delta": [[1, 0], [2, 0], [2, 2]]}),
    "language-star-free-said-of-parity": (FREE_NOT, {"claim.member": True, "hints": {}}),
    "language-star-free-denied": (FREE, {"claim.member": False, "hints": {"w": [], "x": [0], "s": [1], "n": 2}}),
    "language-star-free-denied-with-n-of-all-states": (
        FREE,
        {"claim.member": False, "hints": {"w": [], "x": [0, 2], "s": [], "n": 3}},
    ),
}

MALFORMED: dict[str, tuple[str, dict[str, Any]]] = {
    "simulation-model-short": (FP16, {"claim": SIMULATION | {"model": "0" * 63}, "hints": RUN}),
    "simulation-model-upper-case": (FP16, {"claim": SIMULATION | {"model": "A" * 64}, "hints": RUN}),
    "simulation-model-a-number": (FP16, {"claim": SIMULATION | {"model": 0}, "hints": RUN}),
    "simulation-length-negative": (FP16, {"claim": SIMULATION | {"length": -1}, "hints": RUN}),
    "simulation-length-ever": (FP16, {"claim": SIMULATION | {"length": "ever"}, "hints": RUN}),
    "simulation-length-true": (FP16, {"claim": SIMULATION | {"length": True}, "hints": RUN}),
    "simulation-order-unknown": (FP16, {"claim": SIMULATION | {"order": "sideways"}, "hints": RUN}),
    "simulation-with-a-formula": (FP16, {"claim": SIMULATION | {"formula": None}, "hints": RUN}),
    "simulation-without-words": (FP16, {"claim": SIMULATION, "hints": {"exhaustive_to": 3, "states": None}}),
    "simulation-states-0": (FP16, {"claim": SIMULATION, "hints": RUN | {"states": [0]}}),
    "simulation-exhaustive-to-minus-2": (FP16, {"claim": SIMULATION, "hints": RUN | {"exhaustive_to": -2}}),
    "modulus-m-1": (MODULUS, {"claim.m": 1}),
    "modulus-m-a-text": (MODULUS, {"claim.m": "12"}),
    "modulus-m-true": (MODULUS, {"claim.m": True}),
    "modulus-C-0": (MODULUS, {"claim.C": 0}),
    "modulus-C-negative": (MODULUS, {"claim.C": -240}),
    "modulus-F-another": (MODULUS, {"claim.F.overflow": "saturate"}),
    "modulus-F-with-ftz-0": (MODULUS, {"claim.F.ftz": 0}),
    "modulus-F-missing": (MODULUS, {"claim.F": ...}),
    "modulus-with-a-residue": (MODULUS, {"claim.r": 0}),
    "modulus-with-hints": (MODULUS, {"hints.C": 240}),
    "modulus-order-unknown": (MODULUS, {"claim.regime.order": "sideways"}),
    "version-2": (FP16, {"fpcert": 2}),
    "version-0": (FP16, {"fpcert": 0}),
    "version-a-string": (FP16, {"fpcert": "1"}),
    "version-true": (FP16, {"fpcert": True}),
    "semantics-2": (FP16, {"semantics": 2}),
    "semantics-null": (FP16, {"semantics": None}),
    "producer-a-string": (FP16, {"producer": "fpcert"}),
    "producer-version-a-number": (FP16, {"producer.version": 1}),
    "producer-with-more": (FP16, {"producer.date": "today"}),
    "unknown-field": (FP16, {"note": "trust me"}),
    "unknown-field-in-the-claim": (FP16, {"claim.note": "trust me"}),
    "unknown-field-in-a-value-set": (FP16, {"claim.F.name": "fp16"}),
    "unknown-hint": (FP16, {"hints.values": []}),
    "claim-a-list": (FP16, {"claim": []}),
    "claim-null": (FP16, {"claim": None}),
    "hints-null": (FP16, {"hints": None}),
    "kind-a-number": (FP16, {"claim.kind": 1}),
    "k-0": (C1E4, {"claim.k": 0}),
    "k-negative": (C1E4, {"claim.k": -1}),
    "k-true": (C1E4, {"claim.k": True}),
    "k-a-string": (C1E4, {"claim.k": "1"}),
    "k-null": (C1E4, {"claim.k": None}),
    "C-0": (C1E4, {"claim.C": 0}),
    "C-negative": (C1E4, {"claim.C": -40}),
    "C-an-integer-in-a-string": (C1E4, {"claim.C": "10000"}),
    "C-dyadic-even-mantissa": (C1E4, {"claim.C": "2p-3"}),
    "C-dyadic-that-is-an-integer": (C1E4, {"claim.C": "271p4"}),
    "C-dyadic-upper-case": (C1E4, {"claim.C": "22Bp-5"}),
    "C-dyadic-leading-zero": (C1E4, {"claim.C": "022bp-5"}),
    "C-dyadic-exponent-plus": (C1E4, {"claim.C": "22bp+200"}),
    "C-dyadic-exponent-leading-zero": (C1E4, {"claim.C": "22bp-05"}),
    "C-dyadic-without-exponent": (C1E4, {"claim.C": "22bp"}),
    "C-dyadic-with-0x": (C1E4, {"claim.C": "0x22bp-5"}),
    "C-dyadic-exponent-too-great": (C1E4, {"claim.C": "1p1000001"}),
    "C-rational-not-reduced": (C1E4, {"claim.C": "20/6"}),
    "C-rational-over-1": (C1E4, {"claim.C": "40/1"}),
    "C-rational-that-is-dyadic": (C1E4, {"claim.C": "5/4"}),
    "C-rational-over-0": (C1E4, {"claim.C": "5/0"}),
    "C-rational-negative-denominator": (C1E4, {"claim.C": "-5/-3"}),
    "C-rational-with-plus": (C1E4, {"claim.C": "+5/3"}),
    "C-rational-with-underscore": (C1E4, {"claim.C": "1_0/3"}),
    "C-rational-with-spaces": (C1E4, {"claim.C": " 5/3"}),
    "C-decimal": (C1E4, {"claim.C": "0.5"}),
    "C-scientific": (C1E4, {"claim.C": "1e4"}),
    "C-infinite": (C1E4, {"claim.C": "inf"}),
    "C-nan": (C1E4, {"claim.C": "nan"}),
    "C-empty": (C1E4, {"claim.C": ""}),
    "C-a-great-integer": (C1E4, {"claim.C": 1 << 128}),
    "g-a-number": (C1E4, {"claim.g": 1}),
    "g-decimal": (C1E4, {"claim.g": "0.1"}),
    "g-not-reduced": (C1E4, {"claim.g": "2/20"}),
    "g-1-times-pi": (C1E4, {"claim.g": "1*pi"}),
    "g-pi-times-2": (C1E4, {"claim.g": "pi*2"}),
    "g-2pi": (C1E4, {"claim.g": "2pi"}),
    "g-minus-0": (C1E4, {"claim.g": "-0"}),
    "g-0-times-pi": (C1E4, {"claim.g": "0*pi"}),
    "g-rational-root": (C1E4, {"claim.g": "10000^(-1/2)"}),
    "g-root-of-a-negative": (C1E4, {"claim.g": "-10000^(1/64)^(1/2)"}),
    "g-root-without-parentheses": (C1E4, {"claim.g": "10000^-1/64"}),
    "g-root-power-not-reduced": (C1E4, {"claim.g": "10000^(-2/128)"}),
    "table-of-an-irrational-angle": (C1E4, {"claim.realize": "table"}),
    "realize-unknown": (C1E4, {"claim.realize": "array"}),
    "realize-upper-case": (C1E4, {"claim.realize": "Ideal"}),
    "criterion-unknown": (C1E4, {"claim.criterion": "margin"}),
    "value-a-string": (C1E4, {"claim.value": "43"}),
    "value-null": (C1E4, {"claim.value": None}),
    "value-below-k-minus-1": (C1E4, {"claim.value": -1}),
    "value-true": (C1E4, {"claim.value": True}),
    "order-unknown": (C1E4, {"claim.regime.order": "random"}),
    "order-blocked-0": (C1E4, {"claim.regime.order": {"blocked": 0}}),
    "order-with-two": (C1E4, {"claim.regime.order": {"blocked": 2, "wide": "values"}}),
    "fma-0": (C1E4, {"claim.regime.fma": 0}),
    "stage-unknown-word": (C1E4, {"claim.regime.score": "fp16"}),
    "stage-values-says-values": (C1E4, {"claim.regime.values": "values"}),
    "stage-like-another-but-ftz-0": ("nmax-mixed-bf16-rotate-softmax-fp32", {"claim.regime.softmax.ftz": 0}),
    "stage-missing": (C1E4, {"claim.regime.score": ...}),
    "precision-0": (FP16, {"claim.F.precision": 0}),
    "precision-241": (FP16, {"claim.F.precision": 241}),
    "emin-beyond": (FP16, {"claim.F.emin": -1_000_001}),
    "emin-a-string": (FP16, {"claim.F.emin": "-14"}),
    "largest-not-in-F": (FP16, {"claim.F.largest": 65505}),
    "largest-negative": (FP16, {"claim.F.largest": -65504}),
    "largest-null": (FP16, {"claim.F.largest": None}),
    "overflow-unknown": (FP16, {"claim.F.overflow": "wrap"}),
    "rounding-stochastic": (FP16, {"claim.F.rounding": "stochastic"}),
    "rounding-missing": (FP16, {"claim.F.rounding": ...}),
    "ftz-missing": (FP16, {"claim.F.ftz": ...}),
    "ftz-0": (FP16, {"claim.F.ftz": 0}),
    "value-set-kind-unknown": (FP16, {"claim.F.kind": "posit"}),
    "value-set-a-name": (FP16, {"claim.F": "fp16"}),
    "step-3": ("flarge-fixed-8.3", {"claim.F.step": "3p-3"}),
    "step-0": ("flarge-fixed-8.3", {"claim.F.step": 0}),
    "step-negative": ("flarge-fixed-8.3", {"claim.F.step": "-1p-3"}),
    "largest-no-multiple-of-the-step": ("flarge-fixed-8.3", {"claim.F.largest": "ffp-4"}),
    "grid-without-0": ("flarge-grid-one-sided", {"claim.F.values": ["1p-3", 1, 2]}),
    "grid-empty": ("flarge-grid-one-sided", {"claim.F.values": []}),
    "grid-falling": ("flarge-grid-one-sided", {"claim.F.values": [0, 2, 1]}),
    "grid-with-a-value-twice": ("flarge-grid-one-sided", {"claim.F.values": [0, 1, 1]}),
    "grid-with-a-list": ("flarge-grid-one-sided", {"claim.F.values": [0, [1]]}),
    "grid-an-object": ("flarge-grid-one-sided", {"claim.F.values": {"0": 0}}),
    "fails-null": (C1E4, {"hints.fails": None}),
    "fails-one-number": (C1E4, {"hints.fails": [45]}),
    "fails-three-numbers": (C1E4, {"hints.fails": [45, 0, 0]}),
    "fails-negative": (C1E4, {"hints.fails": [45, -1]}),
    "fails-strings": (C1E4, {"hints.fails": ["45", "0"]}),
    "E-negative": (C1E4, {"hints.E": -1}),
    "E-a-list": (C1E4, {"hints.E": []}),
    "road-unknown": (C1E4, {"hints.road": "magic"}),
    "range-lower-above-upper": ("nmax-range-both-bf16-g1-C1e4", {"claim.lower": 21}),
    "range-of-nothing": ("nmax-range-upper-only-fp16", {"claim.upper": None, "hints.fails": None}),
    "range-fails-without-upper": ("nmax-range-upper-only-fp16", {"claim.upper": None, "claim.lower": 3}),
    "period-0": (TABLE, {"claim.period": 0, "claim.eventual": 0}),
    "period-and-eventual-differ": (TABLE, {"claim.eventual": 42}),
    "period-null-where-periodic": (TABLE, {"claim.period": None}),
    "period-preperiod-null": (TABLE, {"claim.preperiod": None}),
    "period-leaves-too": (TABLE, {"claim.leaves": 3}),
    "period-of-non-periodic": (IRRATIONAL, {"claim.period": 5}),
    "period-preperiod-alone": (IRRATIONAL, {"claim.preperiod": 5}),
    "period-eventual-alone": (IRRATIONAL, {"claim.eventual": 5}),
    "period-non-periodic-from-0": (IRRATIONAL, {"claim.preperiod": 0, "claim.eventual": 5}),
    "period-verdict-unknown": (TABLE, {"claim.verdict": "maybe"}),
    "period-because-unknown": (TABLE, {"hints.because": "window"}),
    "period-positions-null": (TABLE, {"hints.positions": None}),
    "period-positions-negative": (TABLE, {"hints.positions": [-1]}),
    "period-positions-texts": (TABLE, {"hints.positions": ["0"]}),
    "language-member-0": (MOD, {"claim.member": 0}),
    "language-class-a-number": (MOD, {"claim.class": 1}),
    "language-dfa-a-list": (MOD, {"claim.dfa": []}),
    "language-dfa-with-a-number-of-states": (MOD, {"claim.dfa.states": 3}),
    "language-alphabet-empty": (MOD, {"claim.dfa.alphabet": [], "claim.dfa.delta": [[], [], []]}),
    "language-alphabet-a-text": (MOD, {"claim.dfa.alphabet": "ab"}),
    "language-letter-twice": (MOD, {"claim.dfa.alphabet": ["a", "a"]}),
    "language-letter-empty": (MOD, {"claim.dfa.alphabet": ["a", ""]}),
    "language-letter-a-blank": (MOD, {"claim.dfa.alphabet": ["a", " "]}),
    "language-letter-of-101-characters": (MOD, {"claim.dfa.alphabet": ["a", "b" * 101]}),
    "language-row-too-short": (MOD, {"claim.dfa.delta": [[1, 2], [2], [2, 2]]}),
    "language-row-a-number": (MOD, {"claim.dfa.delta": [[1, 2], 2, [2, 2]]}),
    "language-two-states-in-a-place": (MOD, {"claim.dfa.delta": [[[1], 2], [2, 0], [2, 2]]}),
    "language-state-out-of-range": (MOD, {"claim.dfa.delta": [[1, 2], [3, 0], [2, 2]]}),
    "language-state-true": (MOD, {"claim.dfa.delta": [[True, 2], [2, 0], [2, 2]]}),
    "language-without-states": (MOD, {"claim.dfa.delta": []}),
    "language-initial-out-of-range": (MOD, {"claim.dfa.initial": 3}),
    "language-accepting-falling": (MOD, {"claim.dfa.accepting": [1, 0]}),
    "language-accepting-twice": (MOD, {"claim.dfa.accepting": [0, 0]}),
    "language-accepting-out-of-range": (MOD, {"claim.dfa.accepting": [3]}),
    "language-member-with-words": (MOD, {"hints": NO_WORDS}),
    "language-no-member-with-ranks": (MOD, {"claim.member": False}),
    "language-word-a-text": (MOD_NOT, {"hints.u": "ab"}),
    "language-word-letter-out-of-range": (MOD_NOT, {"hints.u": [2]}),
    "language-z-missing": (MOD_NOT, {"hints.z": ...}),
    "language-P-with-z": (P_NOT, {"hints.z": []}),
    "language-ranks-too-few": (MOD, {"hints.ranks": [0, 0]}),
    "language-rank-without-modulus": (MOD, {"hints.moduli": [2]}),
    "language-phase-not-below-the-modulus": (MOD, {"hints.phases": [0, 2, 0]}),
    "language-modulus-0": (MOD, {"hints.moduli": [0, 1]}),
    "language-modulus-great": (MOD, {"hints.moduli": [2, 4]}),
    "language-k-0": (MOD, {"hints.k": 0}),
    "language-formula-empty": (MOD, {"hints.formula": []}),
    "language-formula-a-text": (MOD, {"hints.formula": "MOD(1,2)"}),
    "language-formula-of-the-future": (MOD, {"hints.formula": [["true"], ["future", 0]]}),
    "language-formula-names-itself": (MOD, {"hints.formula": [["not", 0]]}),
    "language-formula-mod-2-2": (MOD, {"hints.formula": [["mod", 2, 2]]}),
    "language-formula-letter-out-of-range": (MOD, {"hints.formula": [["letter", 2]]}),
    "language-formula-and-of-one": (MOD, {"hints.formula": [["true"], ["and", 0]]}),
    "language-formula-of-P-with-mod": (P_A, {"hints.formula": [["mod", 1, 2]]}),
    "language-n-1": (FREE_NOT, {"hints.n": 1}),
    "language-star-free-with-hints": (FREE, {"hints": {"n": 2}}),
}

UNDECIDED: dict[str, tuple[str, dict[str, Any]]] = {
    "nmax-phase-rows-beyond-the-work": (
        "nmax-phase-fp16-g1-C40",
        {"claim.value": 10**9, "hints.fails": [10**9 + 2, 0], "claim.criterion": "weight"},
    ),
    "nmax-k-of-40-digits-in-a-recurrence": (
        "nmax-recurrence-fp16-g1-C1e4",
        {"claim.k": 10**40, "claim.value": 10**40 + 5, "hints.fails": [10**40 + 7, 0]},
    ),
    "recurrence-of-10-to-15-steps": (
        "period-recurrence-fp16-1",
        {"claim.preperiod": 10**15, "hints.positions": [10**15, 10**15 + 44]},
    ),
    "recurrence-fp64-leaves-far-out": (
        "period-recurrence-leaves-F-fp16-0.01",
        {
            "claim.F.emin": -1022,
            "claim.F.precision": 53,
            "claim.F.largest": "1fffffffffffffp971",
            "claim.leaves": 10**12,
        },
    ),
    "angle-with-a-great-exponent": (IRRATIONAL, {"claim.theta": "10000^(99999/64)"}),
}

P = "claim.realize.pipeline"  # where a pipeline is spelled out
STACK, ROOT, INVERSE = (
    "period-pipeline-transformers-fp16",
    "period-pipeline-theta-root",
    "period-pipeline-theta-inverse",
)
POWER, PRODUCT, ATTENTION = (f"period-pipeline-kept-{name}" for name in ("power", "running-product", "attention"))
FROZEN, IDENTITY, LLAMA = (
    "period-pipeline-gpt-j-fp16-frozen",
    "period-pipeline-theta-0-with-attention",
    "nmax-pipeline-llama-wide-table",
)
BUFFER, DIVIDE = "nmax-pipeline-bf16-buffer-g0.1", "period-pipeline-kept-divide-fixed"
FP32_END = 340282356779733661637539395458142568448
PERIODIC = {
    "claim.verdict": "periodic",
    "claim.period": 1,
    "claim.preperiod": 0,
    "claim.eventual": 1,
    "claim.leaves": None,
}

REFUTED |= {
    "pipeline-leaves-later": (STACK, {"claim.leaves": FP32_END + 1}),
    "pipeline-leaves-earlier": (STACK, {"claim.leaves": FP32_END - 1}),
    "pipeline-leaves-at-0": (STACK, {"claim.leaves": 0}),
    "pipeline-said-periodic": (STACK, PERIODIC),
    "pipeline-said-to-repeat": (STACK, {"claim.leaves": None}),
    "pipeline-fp16-positions-said-to-last-as-fp32": (STACK, {f"{P}.phase": [["round", 0], ["mul", 1, 7]]}),
    "pipeline-fp16-product-said-to-last-as-fp32": (STACK, {f"{P}.phase": [["round", 1], ["mul", 0, 7]]}),
    "pipeline-all-fp16-said-of-fp32": ("period-pipeline-all-fp16", {"claim.leaves": FP32_END}),
    "pipeline-frozen-said-periodic": (FROZEN, PERIODIC),
    "pipeline-with-a-time-scale-of-0": (INVERSE, {f"{P}.numbers": [["inverse", 1], ["exact", 0]], f"{P}.phase.1": ["div", 1, 1]}),
    "pipeline-with-an-infinite-number": (STACK, {f"{P}.numbers.1": ["exact", "1p3000"], f"{P}.numbers.4": ["round", 1, 0], f"{P}.phase.1": ["mul", 1, 5]}),
    "pipeline-mu-plus-1": (POWER, {"claim.preperiod": 53250}),
    "pipeline-mu-minus-1": (POWER, {"claim.preperiod": 53248}),
    "pipeline-constant-with-period-2": (POWER, {"claim.eventual": 2}),
    "pipeline-constant-said-to-leave-F": (POWER, {"claim.leaves": 65520, "claim.preperiod": None, "claim.eventual": None}),
    "pipeline-constant-said-periodic": (POWER, PERIODIC),
    "pipeline-positions-in-fp16": (POWER, {f"{P}.phase.0": ["round", 3]}),
    "pipeline-phase-that-overflows": (POWER, {f"{P}.sets.2.overflow": "inf", f"{P}.numbers.6": ["mul", 1, 1, 5]}),
    "pipeline-a-base-of-1": (PRODUCT, {"claim.preperiod": 53248, f"{P}.numbers.0": ["exact", 1]}),
    "pipeline-operands-of-a-wider-set": (ATTENTION, {f"{P}.phase.1": ["mul", 2, 7]}),
    "pipeline-divide-mu-of-another-step": (DIVIDE, {"claim.preperiod": 31}),
    "pipeline-identity-said-to-leave-F": (IDENTITY, {"claim.leaves": FP32_END, "claim.verdict": "non-periodic", "claim.period": None, "claim.preperiod": None, "claim.eventual": None}),
    "pipeline-entries-beyond-range": (STACK, {f"{P}.table": [["round", 1], ["mul", 0, 6], ["round", 0]], f"{P}.numbers.6": ["div", 1, 1, 0], "claim.F.overflow": "nan", "claim.F.largest": 2048}),
    "nmax-pipeline-value-plus-1": (BUFFER, {"claim.value": 6}),
    "nmax-pipeline-value-minus-1": (BUFFER, {"claim.value": 4}),
    "nmax-pipeline-another-buffer": (BUFFER, {f"{P}.numbers.0": ["angle", 1]}),
    "nmax-pipeline-wide-table-value-plus-1": (LLAMA, {"claim.value": 20}),
    "nmax-pipeline-wide-table-value-minus-1": (LLAMA, {"claim.value": 18}),
    "nmax-pipeline-table-of-fixed-point": (LLAMA, {f"{P}.table": [["round", 1], ["round", 2]], f"{P}.sets": [
        {"emin": -126, "ftz": False, "kind": "float", "largest": 340282346638528859811704183484516925440, "overflow": "inf", "precision": 24, "rounding": "even"},
        {"kind": "fixed", "largest": 1, "overflow": "saturate", "rounding": "even", "step": "1p-3"},
    ]}),
}  # fmt: skip

MALFORMED |= {
    "pipeline-a-name": (STACK, {P: "transformers"}),
    "pipeline-beside-an-array": (STACK, {"claim.realize.array": "0" * 64}),
    "pipeline-given-as-an-array-in-a-period": (STACK, {"claim.realize": {"array": "0" * 64}, "claim.theta": "1"}),
    "pipeline-with-a-name": (STACK, {f"{P}.name": "transformers"}),
    "pipeline-without-a-table": (STACK, {f"{P}.table": ...}),
    "pipeline-table-empty": (STACK, {f"{P}.table": []}),
    "pipeline-phase-empty": (STACK, {f"{P}.phase": []}),
    "pipeline-phase-that-begins-with-a-product": (STACK, {f"{P}.phase": [["mul", 1, 7]]}),
    "pipeline-table-that-begins-with-a-product": (STACK, {f"{P}.table": [["mul", 1, 7], ["round", 0]]}),
    "pipeline-entries-in-another-set-than-F": (STACK, {f"{P}.table": [["round", 1]]}),
    "pipeline-entries-in-a-copy-of-F": (ROOT, {f"{P}.table": [["round", 1]], f"{P}.sets": [{"kind": "grid", "overflow": "inf", "rounding": "even", "values": [0, 1]}]}),
    "pipeline-table-of-9-steps": (STACK, {f"{P}.table": [["round", 0]] * 9}),
    "pipeline-phase-of-5001-steps": (STACK, {f"{P}.phase": [["round", 0]] * 5001}),
    "pipeline-of-17-sets": (STACK, {f"{P}.sets": [{"kind": "grid", "overflow": "inf", "rounding": "even", "values": [0, n]} for n in range(1, 18)]}),
    "pipeline-of-65-numbers": (STACK, {f"{P}.numbers": [["exact", n] for n in range(65)]}),
    "pipeline-set-that-there-is-not": (STACK, {f"{P}.phase.0": ["round", 2]}),
    "pipeline-set-minus-1": (STACK, {f"{P}.phase.0": ["round", -1]}),
    "pipeline-set-true": (STACK, {f"{P}.phase.0": ["round", True]}),
    "pipeline-set-a-name": (STACK, {f"{P}.phase.0": ["round", "fp32"]}),
    "pipeline-number-that-names-itself": (STACK, {f"{P}.numbers.7": ["round", 1, 7]}),
    "pipeline-number-that-comes-later": (STACK, {f"{P}.numbers.2": ["round", 1, 3]}),
    "pipeline-number-that-there-is-not": (STACK, {f"{P}.phase.1": ["mul", 1, 8]}),
    "pipeline-number-unknown": (STACK, {f"{P}.numbers.5": ["sqrt", 1, 2]}),
    "pipeline-number-with-too-many-operands": (STACK, {f"{P}.numbers.7": ["round", 1, 6, 6]}),
    "pipeline-number-with-too-few-operands": (STACK, {f"{P}.numbers.5": ["pow", 1, 2]}),
    "pipeline-number-empty": (STACK, {f"{P}.numbers.0": []}),
    "pipeline-number-exact-not-in-its-form": (STACK, {f"{P}.numbers.3": ["exact", "3/8"]}),
    "pipeline-number-exact-in-a-set": (STACK, {f"{P}.numbers.0": ["exact", 1, 1]}),
    "pipeline-step-unknown": (STACK, {f"{P}.phase.1": ["add", 1, 7]}),
    "pipeline-step-rounds-a-number": (STACK, {f"{P}.phase.1": ["round", 1, 7]}),
    "pipeline-step-a-text": (STACK, {f"{P}.phase.1": "round"}),
    "pipeline-step-a-list-in-its-place": (STACK, {f"{P}.phase.1": [["mul"], 1, 7]}),
    "pipeline-with-an-angle-that-no-number-has": (STACK, {"claim.theta": "1"}),
    "pipeline-without-the-angle-of-a-number": (ROOT, {"claim.theta": None}),
    "pipeline-inverse-of-a-negative-angle": (INVERSE, {"claim.theta": "-1/7*pi"}),
    "pipeline-inverse-of-0": (INVERSE, {"claim.theta": "0"}),
    "realize-null": (STACK, {"claim.realize": None}),
    "theta-null-without-a-pipeline": (IRRATIONAL, {"claim.theta": None}),
}  # fmt: skip

UNDECIDED |= {
    "pipeline-a-long-power": (STACK, {f"{P}.numbers.1": ["exact", "1001p-12"], f"{P}.numbers.3": ["exact", 10**4]}),
    "pipeline-a-power-of-a-long-number": (STACK, {f"{P}.numbers.1": ["exact", "1p5000"], f"{P}.numbers.3": ["exact", "1/1000"], f"{P}.numbers.5": ["pow", 1, 1, 4]}),
}  # fmt: skip

# true claims whose hints do not show them
UNDECIDED |= {
    "modulus-m-100000": (MODULUS, {"claim.m": 100_000}),
    "modulus-m-of-300-digits": (MODULUS, {"claim.m": 10**300}),
    "language-MOD-k-4": (MOD, {"hints.k": 4}),
    "language-MOD-equal-phases": (MOD, {"hints.phases": [0, 0, 0]}),
    "language-MOD-ranks-fall": (MOD, {"hints.ranks": [1, 1, 0], "hints.moduli": [1, 2]}),
    "language-MOD-another-formula": (MOD, {"hints.formula": [["mod", 1, 2]]}),
    "language-P-another-formula": (P_A, {"hints.formula": [["letter", 0], ["past", 0]]}),
    "language-MOD-not-without-words": (MOD_NOT, {"hints": NO_WORDS}),
    "language-P-not-with-words-of-one-state": (P_NOT, {"hints": {"w": [], "u": [0, 0], "v": [], "s": []}}),
    "language-star-free-not-with-a-word-of-one-state": (FREE_NOT, {"hints.x": [1]}),
    "language-star-free-not-with-n-3": (FREE_NOT, {"hints.n": 3}),
}

UNSUPPORTED: dict[str, tuple[str, dict[str, Any]]] = {
    "kind-simulation": (FP16, {"claim": SIMULATION, "hints": RUN}),
    "simulation-of-all-lengths": (FP16, {"claim": SIMULATION | {"length": "all"}, "hints": RUN | {"states": [1, 2]}}),
    "pipeline-a-power-of-a-negative-number": (STACK, {f"{P}.numbers.1": ["exact", -10_000]}),
    "pipeline-a-logarithm-of-a-negative-number": (
        STACK,
        {f"{P}.numbers.7": ["log", 1, 3], f"{P}.numbers.3": ["exact", -1]},
    ),
    "class-of-a-language": (FP16, {"claim": {"class": "SL", "dfa": {}, "kind": "language", "member": True}}),
    "kind-unknown": (FP16, {"claim.kind": "nmax2"}),
    "kind-empty": (FP16, {"claim.kind": ""}),
    "period-one-side-without-a-nan": (
        "period-left-F-one-side-ideal",
        {"claim.leaves": None, "hints.because": "irrational-angle", "hints.positions": [1, 2]},
    ),
}


def _bytes(good: bytes) -> dict[str, bytes]:
    """Files made from the bytes of a good one."""
    one = good.rstrip(b"\n")
    number = b'"emin":-14'
    return {
        "empty": b"",
        "a-newline": b"\n",
        "null": b"null\n",
        "a-number": b"1\n",
        "a-string": b'"certificate"\n',
        "a-list": b"[" + one + b"]\n",
        "two-objects": good + good,
        "without-newline": one,
        "two-newlines": good + b"\n",
        "crlf": one + b"\r\n",
        "trailing-space": one + b" \n",
        "trailing-data": good + b"x",
        "trailing-nul": good + b"\0",
        "truncated": good[: len(good) // 2],
        "first-byte-gone": good[1:],
        "byte-order-mark": b"\xef\xbb\xbf" + good,
        "utf-16": good.decode().encode("utf-16"),
        "gzip": gzip.compress(good, mtime=0),
        "indented": json.dumps(json.loads(good), sort_keys=True, indent=1).encode() + b"\n",
        "space-after-colons": json.dumps(json.loads(good), sort_keys=True).encode() + b"\n",
        "keys-not-sorted": b'{"fpcert":1,' + one[1:].replace(b'"fpcert":1,', b"") + b"\n",
        "key-twice-the-same": good.replace(b'"kind":"flarge"', b'"kind":"flarge","kind":"flarge"'),
        "key-twice-the-second-true": good.replace(b'"value":', b'"value":1,"value":'),
        "unicode-escape": good.replace(b'"flarge"', b'"\\u0066large"'),
        "escaped-slash": good.replace(b'"fpcert","version"', b'"fp\\/cert","version"'),
        "raw-utf-8": good.replace(b'"corpus"', '"corpüs"'.encode()),
        "unicode-digits": good.replace(b'"22bp-5"', '"٢٢/٣"'.encode()),
        "control-character": good.replace(b'"corpus"', b'"cor\tpus"'),
        "single-quotes": good.replace(b'"', b"'"),
        "comment": good.replace(b'"hints":', b'/* */"hints":'),
        "trailing-comma": good.replace(b'"hints":{}', b'"hints":{},').replace(b",,", b",,"),
        "float": good.replace(number, b'"emin":-14.0'),
        "float-exponent": good.replace(number, b'"emin":-14e0'),
        "float-1e999": good.replace(number, b'"emin":1e999'),
        "nan": good.replace(number, b'"emin":NaN'),
        "infinity": good.replace(number, b'"emin":Infinity'),
        "minus-infinity": good.replace(number, b'"emin":-Infinity'),
        "leading-zero": good.replace(number, b'"emin":-014'),
        "plus": good.replace(number, b'"emin":+14'),
        "minus-0": good.replace(number, b'"emin":-0'),
        "hexadecimal": good.replace(number, b'"emin":0xe'),
        "underscore-in-an-integer": good.replace(number, b'"emin":-1_4'),
        "integer-of-5000-digits": good.replace(number, b'"emin":-' + b"1" * 5000),
        "nested-100-deep": b'{"claim":' + b"[" * 100 + b"]" * 100 + b"}\n",
        "nested-9-deep": good.replace(b'"hints":{}', b'"hints":{"a":' + b"[" * 8 + b"]" * 8 + b"}"),
        "mantissa-of-20001-digits": good.replace(b'"22bp-5"', b'"' + b"1" * 20_001 + b'p-5"'),
    }


def _stage_spelled_out(good: Mapping[str, bytes]) -> bytes:
    document = json.loads(good[C1E4])
    regime = document["claim"]["regime"]
    regime["score"] = regime["values"]
    return _canonical(document)


def bad_files(good: Mapping[str, bytes]) -> dict[str, bytes]:
    """Name to bytes, all of them made from good files."""
    found: dict[str, bytes] = {}
    for verdict, changes in (
        ("refuted", REFUTED),
        ("malformed", MALFORMED),
        ("undecided", UNDECIDED),
        ("unsupported", UNSUPPORTED),
    ):
        for name, (file, fields) in changes.items():
            found[f"{verdict}-{name}"] = _changed(good[file], fields)
    found |= {f"malformed-bytes-{name}": data for name, data in _bytes(good[FP16]).items()}
    found["malformed-stage-spelled-out"] = _stage_spelled_out(good)
    same = [name for name, data in found.items() if data in good.values()]
    if same:
        raise ValueError(f"these say what a good file says: {', '.join(same)}")
    return found


def _changed(data: bytes, fields: Mapping[str, Any]) -> bytes:
    """The certificate with other fields; one that is ... is left out."""
    document = json.loads(data)
    for path, new in fields.items():
        *folders, last = (int(part) if part.isdigit() else part for part in path.split("."))
        place = document
        for folder in folders:
            place = place[folder]
        if new is ...:
            del place[last]
        else:
            place[last] = copy.deepcopy(new)
    return _canonical(document)


def _canonical(document: Any) -> bytes:
    return (json.dumps(document, sort_keys=True, separators=(",", ":")) + "\n").encode("ascii")


Maker = Callable[[], bytes]
