"""The true claims of the corpus: a name for each file, and how its claim is found.

Names begin with the kind of claim; then come what is special about it, the value set and the numbers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from gmpy2 import mpq

from certify.certificates.document import certificate_bytes
from certify.certificates.forms import number_form, regime_form, value_set_form
from certify.certificates.languages import language_certificates
from certify.certificates.periods import period_certificates
from certify.certificates.ranges import flarge_certificate, range_certificate
from certify.certified_range.compute import nmax_of
from certify.certified_range.question import Question, parse_scale
from certify.languages.compute import classify
from certify.languages.dfa import Dfa
from certify.periodicity.collision import Collision
from certify.periodicity.component import decide
from certify.periodicity.compute import period
from certify.periodicity.result import Component, PeriodResult
from fpsim.angle import Angle, conventional_angle
from fpsim.grid_file import grid
from fpsim.pipeline import Chain, Pipeline, Stages
from fpsim.regime import Regime
from fpsim.schedule import Schedule
from fpsim.valueset import ValueSet
from fpsim.valueset_text import value_set

__all__ = ["good_certificates"]

THIRDS = grid(["-5/3", -1, "-1/3", 0, "1/3", 1, "5/3", 2, 4], overflow="saturate", name="thirds")
HUNDREDTHS = grid([f"{n}/100" for n in range(-100, 101)], overflow="saturate", name="hundredths")
ONE_SIDED = grid([0, "1/8", "1/2", 1, 2, 3, 5], overflow="inf", name="one-sided")
TENTHS = grid([f"{n}/10" for n in range(-40, 41)], overflow="saturate", name="tenths")
SEVENTHS = grid([f"{2 * n}/7" for n in range(-7, 8)] + [1, -1, 4, -4], overflow="saturate", name="sevenths")
COARSE = grid([-4, 0, 4], overflow="saturate", name="coarse")
ONE_SIDE = grid(["-1/2", 0, "1/2", 1], overflow="nan", name="one side")
LOPSIDED = grid([-1, "-1/2", 0, "1/4", 1, 3, 9], overflow="saturate", name="lopsided")

FLARGE: dict[str, ValueSet | str] = {
    "fp64": "fp64",
    "fp32": "fp32",
    "tf32": "tf32",
    "bf16": "bf16",
    "fp16": "fp16",
    "e5m2": "e5m2",
    "e4m3": "e4m3",
    "e3m2": "e3m2",
    "e2m3": "e2m3",
    "e2m1": "e2m1",
    "e4m3fnuz": "e4m3fnuz",
    "e5m2fnuz": "e5m2fnuz",
    "fp128": "fp128",
    "fp16-ftz": "fp16:ftz",
    "fp16-up-none": "fp16:up",
    "fp16-down": "fp16:down",
    "bf16-odd-none": "bf16:odd",
    "fp16-away": "fp16:away",
    "fp32-zero": "fp32:zero",
    "e4m3-saturate": "e4m3:saturate",
    "e3m1-even": "e3m1",
    "e12m239": "e12m239",
    "fixed-8.3": "fixed:8.3",
    "fixed-8.4-up-none": "fixed:8.4:up",
    "fixed-24.8": "fixed:24.8",
    "grid-nf4-none": "nf4",
    "grid-thirds": THIRDS,
    "grid-hundredths-none": HUNDREDTHS,
    "grid-one-sided": ONE_SIDED,
}

# The rows of the table of semantics 1, section 5, come first.
NMAX: dict[str, dict[str, Any]] = {
    "fp16-g1-C40": {"C": 40},
    "fp16-g1-C1e4": {"C": 10**4},
    "fp16-g1-C6e4": {"C": 60_000},
    "bf16-g1-C1e4": {"C": 10**4, "dtype": "bf16"},
    "fp32-g1-C1e12": {"C": 10**12, "dtype": "fp32"},
    "e4m3-nan-pair-g1-C256": {"C": 256, "dtype": "e4m3"},
    "fixed-8.3-g1-C15": {"C": 15, "dtype": "fixed:8.3"},
    "vacuous-fixed-8.4-g1-C7": {"C": 7, "dtype": "fixed:8.4"},
    "fp64-g1-C1e18": {"C": 10**18, "dtype": "fp64"},
    "fp128-g1-C1e18": {"C": 10**18, "dtype": "fp128"},
    "fp128-g1-C1e37": {"C": 10**37, "dtype": "fp128"},
    "fp32-g0.1-C1e9": {"C": 10**9, "dtype": "fp32", "g": "1/10"},
    "fp16-k7-g1-C40": {"C": 40, "k": 7},
    "bf16-k56-g0.098175": {"C": 58_257_290, "k": 56, "g": "0.098175", "dtype": "bf16"},
    "inf-pair-e5m2-g1-C57344": {"C": 57_344, "dtype": "e5m2"},
    "fractional-C-fp16": {"C": "12345/7"},
    "saturate-e4m3": {"C": 200, "dtype": "e4m3:saturate"},
    "down-fp16": {"C": 3000, "dtype": "fp16:down"},
    "away-bf16": {"C": 10**6, "dtype": "bf16:away", "k": 2},
    "zero-e5m10-ftz": {"C": 1000, "dtype": "e5m10:ftz:zero"},
    "weight-sequential-fp16": {"C": 40, "criterion": "weight"},
    "weight-nan-e4m3-g1-C256": {"C": 256, "dtype": "e4m3", "criterion": "weight"},
    "weight-reverse-bf16": {"C": 10**4, "dtype": "bf16", "criterion": "weight", "order": "reverse"},
    "weight-pairwise-e5m2": {"C": 500, "dtype": "e5m2", "criterion": "weight", "order": "pairwise"},
    "weight-blocked-e4m3": {"C": 60, "dtype": "e4m3:saturate", "criterion": "weight", "order": "blocked:4"},
    "weight-wide-e3m2": {"C": 28, "dtype": "e3m2", "criterion": "weight", "order": "wide:fp16"},
    "fma-fp16-g1-C1e4": {"C": 10**4, "fma": True},
    "mixed-fp16-score-fp32": {"C": 10**4, "score": "fp32"},
    "mixed-bf16-rotate-softmax-fp32": {"C": 10**4, "dtype": "bf16", "rotate": "fp32", "softmax": "fp32"},
    "mixed-e4m3-score-fp16-fma": {"C": 100, "dtype": "e4m3", "score": "fp16", "softmax": "e5m2", "fma": True},
    "phase-fp16-g1-C40": {"C": 40, "kind": "phase"},
    "phase-bf16-g0.1": {"C": 10**6, "kind": "phase", "g": "1/10", "dtype": "bf16"},
    "counter-bf16-g0.3": {"C": 10**5, "kind": "counter", "g": "3/10", "dtype": "bf16"},
    "recurrence-fp16-g1-C1e4": {"C": 10**4, "kind": "recurrence"},
    "table-fp16-2pi-3-97": {"C": 5000, "kind": "table", "g": "2pi*3/97"},
    "ideal-pi-over-7-fp16": {"C": 900, "g": "pi/7"},
    "negative-angle-fp16": {"C": 900, "g": "-3/7"},
    "root-fp32": {"C": 10**7, "g": conventional_angle(10000, 2, 128), "dtype": "fp32"},
    "grid-tenths": {"C": 4, "dtype": TENTHS, "g": "2"},
    "grid-lopsided": {"C": 9, "dtype": LOPSIDED},
}

# Searches that a limit of length ends, or that only the bracket has looked at.
BOUNDED: dict[str, dict[str, Any]] = {
    "lower-only-fp32-g0.1-C1e9": {"C": 10**9, "dtype": "fp32", "g": "1/10", "max_length": 500},
    "lower-only-vacuous-fp16-k9": {"C": 9000, "k": 9, "max_length": 8, "method": "exhaustive"},
    "both-bf16-g1-C1e4": {"C": 10**4, "dtype": "bf16", "method": "bracket"},
    "both-fp16-C65504": {"C": 65_504, "g": "1/10", "method": "bracket"},
}

PERIODS: dict[str, dict[str, Any]] = {
    "irrational-fp16-1": {"theta": "1"},
    "irrational-fp128-0.1": {"theta": "1/10", "dtype": "fp128"},
    "irrational-root-fp16": {"theta": conventional_angle(10000, 2, 128)},
    "irrational-root-times-bf16": {"theta": conventional_angle(500_000, 9, 64).times(3), "dtype": "bf16"},
    "irrational-small-angle-fp16": {"theta": "1e-30"},
    "directed-witness-at-0": {"theta": "1", "dtype": "fixed:8.0:zero"},
    "coarse-constant": {"theta": "1", "dtype": COARSE},
    "left-F-at-0": {"theta": "1", "dtype": "fixed:4.4:nan"},
    "left-F-one-side-ideal": {"theta": "1", "dtype": ONE_SIDE},
    "left-F-one-side-phase": {"theta": "1", "dtype": ONE_SIDE, "realize": "phase"},
    "left-F-one-side-counter": {"theta": "1", "dtype": ONE_SIDE, "realize": "counter"},
    "table-m1": {"theta": "2pi", "realize": "table"},
    "table-m2-bf16": {"theta": "pi", "realize": "table", "dtype": "bf16"},
    "table-84-fp16": {"theta": "2pi*1/84", "realize": "table"},
    "table-of-a-great-prime": {"theta": "2pi*1/1000000007", "realize": "table"},
    "table-1000-fp16": {"theta": "2pi*7/1000", "realize": "table"},
    "table-1000-e2m1": {"theta": "2pi*1/1000", "realize": "table", "dtype": "e2m1"},
    "table-12-constant-coarse": {"theta": "2pi*1/12", "realize": "table", "dtype": COARSE},
    "ideal-rational-turns-fp32": {"theta": "2pi*5/36", "dtype": "fp32"},
    "angle-0": {"theta": "0"},
    "phase-left-F-fp16": {"theta": "1", "realize": "phase"},
    "phase-constant-saturating": {"theta": "1", "realize": "phase", "dtype": "fp16:saturate"},
    "phase-constant-e4m3-saturating": {"theta": "1/2", "realize": "phase", "dtype": "e4m3:saturate"},
    "phase-left-F-fp64": {"theta": "1", "realize": "phase", "dtype": "fp64"},
    "phase-left-F-bf16-pi": {"theta": "pi", "realize": "phase", "dtype": "bf16"},
    "counter-constant-fp16": {"theta": "1", "realize": "counter"},
    "counter-constant-bf16-root": {
        "theta": conventional_angle(10000, 2, 64),
        "realize": "counter",
        "dtype": "bf16",
    },
    "recurrence-periodic-e5m2": {"theta": "1", "realize": "recurrence", "dtype": "e5m2"},
    "recurrence-fp16-1": {"theta": "1", "realize": "recurrence"},
    "recurrence-leaves-F-e5m2-0.3": {"theta": "3/10", "realize": "recurrence", "dtype": "e5m2"},
    "recurrence-leaves-F-fp16-0.01": {"theta": "1/100", "realize": "recurrence"},
    "recurrence-e4m3-saturating": {"theta": "1", "realize": "recurrence", "dtype": "e4m3:saturate"},
}

# Stages whose sets saturate, so that a pipeline ends in one block and does not leave F.
_KEPT = Stages(position="e5m2:saturate", phase="fp16:saturate", linear="position")
_FIXED = Stages(Chain("divide", "fp16", "fp16", "fp16"), "fp16", "fixed:8.2", None, "fixed:10.5", "fp16")
_LOOSE = Stages(
    position="bf16:saturate", operands="e4m3:saturate", phase="bf16:saturate", attention="bf16", rotate="fp32"
)

# Name: the pipeline, by name or as stages; the number of the pair, the schedule and the data type, and its scaling.
PIPELINES: dict[str, dict[str, Any]] = {
    "transformers-fp16": {"of": "transformers", "pair": 3},
    "all-fp16": {"of": "all-fp16", "pair": 2, "dtype": "bf16"},
    "gpt-j-fp16-frozen": {"of": "gpt-j", "pair": 1, "base": 500_000},
    "vllm-linear": {"of": "vllm", "pair": 1, "linear": 8},
    "megatron-linear": {"of": "megatron", "pair": 1, "linear": "5/2"},
    "ggml-running-product": {"of": "ggml-cpu", "pair": 6, "linear": 4},
    "ggml-scale-power": {"of": "ggml-cuda", "pair": 7, "base": "1000003/7"},
    "mlx-exp-log": {"of": "mlx", "pair": 3, "dtype": "bf16"},
    "maxtext-divide": {"of": "maxtext", "pair": 2},
    "theta-inverse": {"of": "maxtext", "theta": "pi/7"},
    "theta-root": {"of": "llama", "theta": conventional_angle(10000, 5, 64).times(3)},
    "theta-0-with-attention": {"of": "transformers", "theta": "0"},
    "kept-power": {"of": _KEPT, "pair": 1, "linear": 4},
    "kept-exp-log": {"of": replace(_KEPT, chain=Chain("exp-log", "fp16", "fp16", "fp16")), "pair": 2, "dtype": "bf16"},
    "kept-running-product": {
        "of": replace(_KEPT, chain=Chain("running-product"), linear="phase"),
        "pair": 3,
        "linear": 2,
    },
    "kept-divide-fixed": {"of": _FIXED, "pair": 1, "dtype": "e4m3"},
    "kept-attention": {"of": _LOOSE, "pair": 1, "attention": "5/4", "dtype": "e4m3"},
    "leaves-F-at-0": {
        "of": Stages(Chain("running-product", "fp16", "fp16", "fp16")),
        "pair": 2,
        "base": "1/10000000000",
    },
}

# Name: what is asked, and the pipeline.
PIPELINE_RANGES: dict[str, dict[str, Any]] = {
    "transformers-fp16-C1e3": {"C": 1000, "of": "transformers"},
    "bf16-buffer-g0.1": {"C": 10**6, "g": "1/10", "of": "transformers-bf16-buffer", "dtype": "bf16"},
    "vllm-rotate-fp32": {"C": 1000, "of": "vllm", "rotate": "fp32"},
    "llama-wide-table": {"C": 700, "of": "llama", "rotate": "fp32", "k": 2},
    "weight-tf32-product": {"C": 2000, "of": "tf32-product", "dtype": "bf16", "criterion": "weight"},
    "divide-fixed": {"C": 100, "of": _FIXED, "dtype": "e4m3:saturate"},
}

# Name: the class, and the language: an expression with its letters, or a DFA.
LANGUAGES: dict[str, tuple[str, dict[str, Any]]] = {
    "P-begins-with-a": ("LTL[P]", {"regex": "a.*", "alphabet": "ab"}),
    "P-empty": ("LTL[P]", {"regex": "!(.*)", "alphabet": "a"}),
    "P-all": ("LTL[P]", {"regex": ".*", "alphabet": "abc"}),
    "P-abc-inside": ("LTL[P]", {"regex": ".*a.*b.*c.*", "alphabet": "abc"}),
    "P-not-ends-with-a": ("LTL[P]", {"regex": ".*a", "alphabet": "ab"}),
    "P-not-even": ("LTL[P]", {"regex": "(aa)*", "alphabet": "a"}),
    "MOD-even": ("LTL[P,MOD]", {"regex": "(aa)*", "alphabet": "a"}),
    "MOD-ab": ("LTL[P,MOD]", {"regex": "(ab)*", "alphabet": "ab"}),
    "MOD-aabb-or-abc": ("LTL[P,MOD]", {"regex": "(aabb)*|c(abc)*", "alphabet": "abc"}),
    "MOD-two-cycles": ("LTL[P,MOD]", {"regex": "b*a(..)*", "alphabet": "ab"}),
    "MOD-not-ab-inside": ("LTL[P,MOD]", {"regex": ".*ab.*", "alphabet": "abc"}),
    "MOD-not-parity": ("LTL[P,MOD]", {"regex": "(b*ab*a)*b*", "alphabet": "ab"}),
    "MOD-not-dyck-of-depth-2": ("LTL[P,MOD]", {"regex": "(a(ab)*b)*", "alphabet": "ab"}),
    "MOD-letters-of-many-characters": (
        "LTL[P,MOD]",
        {"dfa": Dfa(("push", "pop", "\u00e9"), 0, frozenset({0}), ((1, 2, 2), (2, 0, 2), (2, 2, 2)))},
    ),
    "star-free-dyck-of-depth-2": ("star_free", {"regex": "(a(ab)*b)*", "alphabet": "ab"}),
    "star-free-ab-inside": ("star_free", {"regex": ".*ab.*", "alphabet": "abc"}),
    "star-free-not-multiple-of-3": ("star_free", {"regex": "(aaa)*", "alphabet": "a"}),
    "star-free-not-parity": ("star_free", {"regex": "(b*ab*a)*b*", "alphabet": "ab"}),
}


# Name: the modulus, the scale and the regime.
MODULI: dict[str, tuple[int, Any, dict[str, Any]]] = {
    "e4m3-12": (12, 240, {"dtype": "e4m3"}),
    "e4m3-blocked-10": (10, 240, {"dtype": "e4m3", "order": "blocked:4"}),
    "e4m3-saturate-pairwise-9": (9, 256, {"dtype": "e4m3:saturate", "order": "pairwise"}),
    "e5m2-8": (8, 57344, {"dtype": "e5m2"}),
    "e3m2-6": (6, 28, {"dtype": "e3m2"}),
    "bf16-40": (40, 2**127, {"dtype": "bf16"}),
    "fp16-2": (2, 40, {"dtype": "fp16"}),
    "fp16-reverse-5": (5, "12345/7", {"dtype": "fp16", "order": "reverse"}),
    "fp16-ftz-7": (7, 1000, {"dtype": "fp16:ftz"}),
    "fp32-3": (3, 1000, {"dtype": "fp32"}),
    "wide-fixed-8.4-4": (4, "127/16", {"dtype": "fixed:8.4", "order": "wide:fp16"}),
    "grid-sevenths-2": (2, "32/7", {"dtype": SEVENTHS}),
    "mixed-e4m3-score-fp16-softmax-e5m2-10": (10, 240, {"dtype": "e4m3", "score": "fp16", "softmax": "e5m2"}),
    "mixed-bf16-rotate-fp32-fma-6": (6, 10**4, {"dtype": "bf16", "rotate": "fp32", "fma": True}),
}


def _question(C: Any, g: Any = "1", dtype: Any = "fp16", k: int = 1, kind: Any = "ideal", **options: Any) -> Question:
    criterion = options.pop("criterion", "gap")
    return Question(Angle.parse(g, "g"), parse_scale(C), k, Regime.of(dtype, **options), kind, criterion)


def _pipeline(of: Any) -> Pipeline:
    return Pipeline("of one's own", of) if isinstance(of, Stages) else Pipeline.named(of)


def _pipeline_period(
    of: Any,
    pair: int = 0,
    base: Any = 10_000,
    dtype: Any = "fp16",
    linear: Any = None,
    attention: Any = None,
    theta: Any = None,
) -> bytes:
    """The claim about one pair of 8; with theta about that angle, rounded once."""
    pipeline, values = _pipeline(of), value_set(dtype)
    if theta is None:
        schedule = Schedule.conventional(mpq(base), 16)
        if linear is not None:
            schedule = schedule.scaled({"rope_type": "linear", "factor": mpq(linear)})
        if attention is not None:
            schedule = replace(schedule, attention_factor=mpq(attention))
        rotation = pipeline.for_schedule(schedule).rotations(values)[pair]
    else:
        rotation = pipeline.rotation(Angle.parse(theta, "theta"), values)
    component = Component(pair, None, None, decide(rotation), Collision(None), rotation)
    (certificate,) = period_certificates(PeriodResult((component,), "", values.name, pipeline.name))
    return certificate


def _pipeline_range(of: Any, **options: Any) -> bytes:
    return _range(kind=_pipeline(of), **options)


def _range(C: Any, method: str = "auto", max_length: int | None = None, **options: Any) -> bytes:
    asked = _question(C, **options)
    return range_certificate(asked, nmax_of(asked, method=method, max_length=max_length))


def _period(**options: Any) -> bytes:
    (certificate,) = period_certificates(period(**options))
    return certificate


def _language(name: str, options: dict[str, Any]) -> bytes:
    (certificate,) = language_certificates(classify(**options), [name])
    return certificate


def _modulus(m: int, C: Any, options: dict[str, Any]) -> bytes:
    regime, scale = Regime.of(**options), parse_scale(C)
    claim = {"C": number_form(scale), "F": value_set_form(regime.values), "m": m, "regime": regime_form(regime)}
    return certificate_bytes({"kind": "modulus", **claim}, {})


def _upper_only(C: Any, **options: Any) -> bytes:
    """The upper half of a claim of a range."""
    document = json.loads(_range(C, **options))
    claim = document["claim"]
    claim["kind"], claim["lower"], claim["upper"] = "nmax-range", None, claim.pop("value")
    return canonical(document)


def canonical(document: Any) -> bytes:
    """The bytes of a document, in the form of docs/certificates.md."""
    return (json.dumps(document, sort_keys=True, separators=(",", ":")) + "\n").encode("ascii")


def _named(data: bytes) -> bytes:
    """The same with a producer that does not change with the version."""
    document = json.loads(data)
    document["producer"] = {"name": "fpcert", "version": "corpus"}
    return canonical(document)


def makers() -> Iterator[tuple[str, Callable[[], bytes]]]:
    """The name of each file, and what makes it."""
    for name, values in FLARGE.items():
        yield f"flarge-{name}", lambda values=values: flarge_certificate(value_set(values))
    for name, options in NMAX.items():
        yield f"nmax-{name}", lambda options=options: _range(**options)
    for name, options in BOUNDED.items():
        yield f"nmax-range-{name}", lambda options=options: _range(**options)
    yield "nmax-range-upper-only-fp16", lambda: _upper_only(10**4)
    yield "nmax-range-upper-only-fp64", lambda: _upper_only(10**18, dtype="fp64")
    for name, options in PERIODS.items():
        yield f"period-{name}", lambda options=options: _period(**options)
    for name, options in PIPELINES.items():
        yield f"period-pipeline-{name}", lambda options=options: _pipeline_period(**options)
    for name, options in PIPELINE_RANGES.items():
        yield f"nmax-pipeline-{name}", lambda options=options: _pipeline_range(**options)
    for name, (m, scale, options) in MODULI.items():
        yield f"modulus-{name}", lambda m=m, scale=scale, options=options: _modulus(m, scale, options)
    for name, (kind, options) in LANGUAGES.items():
        yield f"language-{name}", lambda kind=kind, options=options: _language(kind, options)


def good_certificates(only: str = "") -> dict[str, bytes]:
    """Name to bytes, of those whose name contains `only`."""
    return {name: _named(make()) for name, make in makers() if only in name}
