"""A note on stderr where the parameters of a model were rounded into its value set."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from fpcert.output import note

__all__ = ["rounding_noted"]


@contextmanager
def rounding_noted(*, quiet: bool) -> Iterator[None]:
    """Within it a `RoundedWarning` becomes a note when it ends; other warnings stay what they are."""
    from fpsim.transformer.representable import RoundedWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RoundedWarning)
        yield
    for each in caught:
        if issubclass(each.category, RoundedWarning):
            note(f"Note: {each.message}", quiet=quiet)
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
