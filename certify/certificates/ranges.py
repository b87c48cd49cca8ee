"""Certificates of f_large and of certified ranges (docs/certificates.md)."""

from __future__ import annotations

import hashlib
from typing import Any

from gmpy2 import mpq

from certify.certificates.document import canonical_bytes, certificate_bytes
from certify.certificates.forms import angle_form, number_form, regime_form, value_set_form
from certify.certificates.pipelines import pipeline_form
from certify.certified_range.bracket import bracket
from certify.certified_range.error_bound import ErrorBounds, error_bounds
from certify.certified_range.exhaustive import ReferenceRows
from certify.certified_range.question import Question
from certify.certified_range.result import CertifiedRange, CertifiedRanges
from fpsim.errors import UnsupportedError
from fpsim.flarge import f_large
from fpsim.pipeline.rotation import PipelineRotation
from fpsim.realization import Given
from fpsim.valueset import ValueSet
from fpsim.valueset_text import value_set

__all__ = ["flarge_certificate", "given_blocks", "range_blocks", "range_certificate", "range_certificates"]

MAX_BYTES, MAX_ITEMS = 1 << 20, 65_536  # of a file that a checker reads
REALIZATIONS = ("ideal", "table", "phase", "counter", "recurrence")


def flarge_certificate(dtype: ValueSet | str) -> bytes:
    """The claim that f_large(F) has its value, or that there is none.

    >>> b'"value":"22bp-5"' in flarge_certificate("fp16")
    True
    """
    values = value_set(dtype)
    form = value_set_form(values)
    found = f_large(values)
    return certificate_bytes({"kind": "flarge", "F": form, "value": None if found is None else number_form(found)}, {})


def range_certificates(result: CertifiedRange | CertifiedRanges) -> list[bytes]:
    """The claim of a result, or of each of several offsets."""
    results = result.results if isinstance(result, CertifiedRanges) else (result,)
    return [range_certificate(each.question, each) for each in results]


def range_blocks(result: CertifiedRange | CertifiedRanges) -> list[bytes | None]:
    """The file of realized blocks beside each of `range_certificates`, where it names one."""
    results = result.results if isinstance(result, CertifiedRanges) else (result,)
    return [given_blocks(each.question, each) if isinstance(each.question, Question) else None for each in results]


def range_certificate(question: Question, result: CertifiedRange) -> bytes:
    """The claim of `result` about `question`: N_max, or a range that holds it; or that there is no f_large.

    Raises `UnsupportedError` for a head or a realization that certificates do not know.
    """
    if not isinstance(question, Question):
        raise UnsupportedError("certificates are about heads of one rotary pair (--g), not of several")
    angle, realize = _realization(question, result)
    if result.status == "undefined":
        return flarge_certificate(question.regime.softmax)
    claim: dict[str, Any] = {
        "g": angle,
        "C": number_form(question.scale),
        "k": question.offset,
        "regime": regime_form(question.regime),
        "realize": realize,
        "criterion": question.criterion,
    }
    fails = _failing_pair(question, result)
    if result.status == "exact":
        if fails is None:
            raise UnsupportedError("no failing pair is known, which a certificate of an exact range names")
        claim |= {"kind": "nmax", "value": result.n_max}
    else:
        claim |= {"kind": "nmax-range", "lower": result.lower, "upper": None if fails is None else fails[0] - 2}
    bounds = error_bounds(question, max(result.lower, question.offset) + 1)
    error = _rounded_up(bounds.score) if isinstance(bounds, ErrorBounds) else None
    road = "buckets" if "buckets" in result.method else "pairs" if result.method == "exhaustive" else "returns"
    hints = {"fails": fails, "road": road, "E": None if error is None else number_form(error)}
    return certificate_bytes(claim, hints)


def _realization(question: Question, result: CertifiedRange) -> tuple[str | None, Any]:
    """The fields `g` and `realize`."""
    rotation = question.head.realization
    if isinstance(rotation, PipelineRotation):
        if rotation.bias_angle() is None or not rotation.stored:
            raise UnsupportedError("a pipeline whose stored angle is 0, or no finite number, makes no head to certify")
        return pipeline_form(rotation, question.regime.values)
    array = given_blocks(question, result)
    if array is not None:
        return angle_form(question.angle), {"array": hashlib.sha256(array).hexdigest()}
    if question.realize not in REALIZATIONS:
        raise UnsupportedError(
            f"certificates know the realizations {', '.join(REALIZATIONS)}, array and pipelines, not "
            f"{question.realize}: its blocks follow from no claim"
        )
    return angle_form(question.angle), question.realize


def given_blocks(question: Question, result: CertifiedRange) -> bytes | None:
    """The file of realized blocks that a certificate of this result names; None where blocks follow from the claim.

    It has the positions that the claim needs.  Raises `UnsupportedError` where that is more than a checker reads.
    """
    rotation = question.head.realization
    if not isinstance(rotation, Given):
        return None
    fails = _failing_pair(question, result)
    last = result.lower + 1 if fails is None else max(fails[0], result.lower + 1)
    count = min(max(last, question.offset) + 1, rotation.length)
    numbers = [number_form(mpq(x)) for i in range(count) for x in rotation.block(i)]
    made = canonical_bytes({"blocks": numbers, "fpcert-blocks": 1})
    if len(made) > MAX_BYTES or len(numbers) > MAX_ITEMS:
        raise UnsupportedError(f"{count} realized blocks: a checker reads up to {MAX_ITEMS // 2}, of {MAX_BYTES} bytes")
    return made


def _failing_pair(question: Question, result: CertifiedRange) -> list[int] | None:
    """A pair that fails, of query n_max + 2 when the range is exact; None where none is known."""
    if result.witness is not None:
        return [result.witness.i, result.witness.j]
    if result.status == "exact":
        assert result.n_max is not None  # it is exact
        failure = ReferenceRows(question).failure(result.n_max + 2) if result.n_max < 2000 else None
        if failure:
            return [failure.witness.i, failure.witness.j]
    found = bracket(question).witness
    return None if found is None else [found.i, found.j]


def _rounded_up(bound: mpq) -> mpq:
    """The bound with 32 bits, from above: a hint need not be long."""
    if bound <= 0:
        return mpq(0)
    exponent = int(bound.numerator.bit_length() - bound.denominator.bit_length()) - 32
    unit = mpq(2) ** exponent
    return mpq(-(-bound.numerator * unit.denominator // (bound.denominator * unit.numerator))) * unit
