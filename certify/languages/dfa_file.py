"""DFA files: {"alphabet": [...], "states": n, "initial": q, "accepting": [...], "delta": [[...]]}."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from certify.languages.dfa import Dfa, check_size
from certify.languages.letters import alphabet_of
from fpsim.errors import InputError
from fpsim.json_file import read_json

__all__ = ["dfa_of_json", "read_dfa"]

MAX_BYTES = 32_000_000
_KEYS = ("accepting", "alphabet", "delta", "initial", "states")
_RIGHT = '{"alphabet": [...], "states": n, "initial": q, "accepting": [...], "delta": [[...]]}'


def read_dfa(path: str | Path) -> Dfa:
    """The DFA of a JSON file.  Raises `InputError` when it holds none: what is missing, twice or out of range."""
    return dfa_of_json(read_json(path, "dfa", MAX_BYTES))


def dfa_of_json(thing: Any) -> Dfa:
    """The DFA of an object as it stands in a file: delta[q] has one state for each letter, in the alphabet's order.

    >>> len(dfa_of_json({"alphabet": ["a"], "states": 2, "initial": 0, "accepting": [0], "delta": [[1], [0]]}))
    2
    """
    if not isinstance(thing, dict):
        raise InputError("dfa", thing, f"an object {_RIGHT}")
    if set(thing) != set(_KEYS):
        missing, unknown = sorted(set(_KEYS) - set(thing)), sorted(set(thing) - set(_KEYS))
        value = f"an object without {', '.join(missing)}" if missing else f"the key {unknown[0]!r}"
        raise InputError("dfa", value, f"an object {_RIGHT}")
    for key in ("alphabet", "accepting", "delta"):
        if not isinstance(thing[key], list):
            raise InputError(key, thing[key], "a list")
    alphabet = alphabet_of(thing["alphabet"])
    n, delta = thing["states"], thing["delta"]
    if type(n) is not int:
        raise InputError("states", n, "the number of states, an integer")
    check_size(n, len(alphabet))
    if len(delta) != n:
        raise InputError("delta", f"{len(delta)} lists", f"one list for each of the {n} states")
    for q, row in enumerate(delta):
        if not isinstance(row, list) or any(isinstance(state, list) for state in row):
            right = "a list with one state for each letter: the DFA has to be deterministic and complete"
            raise InputError(f"delta[{q}]", row, right)
    accepting = thing["accepting"]
    if any(type(state) is not int for state in accepting):
        raise InputError("accepting", accepting, f"a list of states, integers from 0 to {n - 1}")
    if len(set(accepting)) < len(accepting):
        raise InputError("accepting", accepting, "different states")
    return Dfa(alphabet, thing["initial"], frozenset(accepting), tuple(map(tuple, delta)))
