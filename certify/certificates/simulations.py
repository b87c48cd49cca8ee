"""Certificates that a model recognizes a language, up to a length or at all lengths (docs/certificates.md)."""

from __future__ import annotations

import hashlib
from pathlib import Path

from certify.certificates.document import certificate_bytes
from certify.certificates.forms import order_form
from certify.certificates.languages import MAX_BYTES, dfa_form
from certify.verifying.verification import Verification
from fpsim.errors import UnsupportedError
from fpsim.plain_file import read_plain_file
from fpsim.transformer.files.model_file import load_model

__all__ = ["simulation_certificates"]

_MODEL_BYTES = 1 << 30


def simulation_certificates(result: Verification, model: str | Path) -> list[bytes]:
    """The claims of a verification about the model of this file: up to the length to which every word was run, and,
    where that is proved, at all lengths.

    Raises `UnsupportedError` where a counterexample was found, or not even the empty word was run, and where the
    certificate would be too long; `InputError` where the file cannot be read.
    """
    if not result.agree:
        raise UnsupportedError("a counterexample was found: there is no claim that the model recognizes the language")
    lengths: list[int | str] = [result.exhaustive_to] if result.exhaustive_to >= 0 else []
    lengths += ["all"] if result.all_lengths else []
    if not lengths:
        raise UnsupportedError("not even the empty word was run: there is nothing to claim")
    order = load_model(model).precision.regime.order
    data = read_plain_file(model, "model", _MODEL_BYTES, "a readable file of a model")
    claim = {
        "kind": "simulation",
        "model": hashlib.sha256(data).hexdigest(),
        "dfa": dfa_form(result.dfa),
        "order": order_form(order),
    }
    states = list(result.extraction.states) if result.extraction is not None and result.all_lengths else None
    hints = {"exhaustive_to": result.exhaustive_to, "states": states, "words": result.words}
    made = [certificate_bytes(claim | {"length": length}, hints) for length in lengths]
    if max(map(len, made)) > MAX_BYTES:
        raise UnsupportedError(f"a certificate would have more than {MAX_BYTES} bytes")
    return made
