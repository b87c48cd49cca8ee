"""All changes of one field of a certificate, and what became of them.

A mutant differs from a certificate in one place: an integer by one, doubled, negated or 0; a digit of a number in a
string; an enumerated word; a truth value; a field that is gone, renamed or new; a thing of another type; an element of
a list that is gone, doubled or out of place.  `score` sorts mutants by what the checker and the oracle say of each.
"""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Mutant", "Score", "bytes_changed", "mutants", "score"]

_WORDS = (
    ("gap", "weight"),
    ("inf", "saturate", "nan"),
    ("even", "away", "zero", "up", "down", "odd"),
    ("ideal", "table", "phase", "counter", "recurrence"),
    ("sequential", "reverse", "pairwise"),
    ("float", "fixed", "grid"),
    ("flarge", "language", "nmax", "nmax-range", "period", "modulus"),
    ("LTL[P]", "LTL[P,MOD]", "star_free"),
    ("not", "past"),
    ("and", "or"),
    ("pairs", "returns", "buckets"),
    ("angle", "inverse", "round", "exp", "log"),
    ("mul", "div", "pow"),
    ("periodic", "non-periodic"),
    ("finite-table", "irrational-angle", "eventually-constant", "state-cycle", "left-F"),
)
_SMALL_FORMAT = {
    "emin": -2,
    "ftz": False,
    "kind": "float",
    "largest": 28,
    "overflow": "saturate",
    "precision": 3,
    "rounding": "even",
}
_OTHERS: tuple[Any, ...] = (None, True, 0, 1, "", "1", "x", [], {}, [0], 1.5)


@dataclass(frozen=True)
class Mutant:
    """what: the place and the change.  document: the whole."""

    what: str
    document: Any

    @property
    def data(self) -> bytes:
        """Its bytes, in canonical form."""
        return canonical(self.document)


def canonical(document: Any) -> bytes:
    """The bytes of a document in canonical form; they tell 1 from true."""
    return (json.dumps(document, sort_keys=True, separators=(",", ":")) + "\n").encode("ascii")


def mutants(document: Any) -> Iterator[Mutant]:
    """Every mutant once, in a fixed order."""
    seen = {canonical(document)}
    for path, thing in _places(document, ()):
        for change, new in _changed(path, thing):
            mutant = Mutant(f"{'.'.join(map(str, path))}: {change}", _replaced(document, path, new))
            if mutant.data not in seen:
                seen.add(mutant.data)
                yield mutant


def _places(thing: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    yield path, thing
    parts = thing.items() if isinstance(thing, dict) else enumerate(thing) if isinstance(thing, list) else ()
    for key, part in sorted(parts):
        yield from _places(part, (*path, key))


def _replaced(document: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    changed = copy.deepcopy(document)
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = new
    return changed


def _changed(path: tuple[Any, ...], thing: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(thing, bool):
        yield "flipped", not thing
    elif isinstance(thing, int):
        yield from (("+ 1", thing + 1), ("- 1", thing - 1), ("doubled", 2 * thing), ("negated", -thing), ("0", 0))
        yield "a third more", f"{3 * thing + 1}/3"
        yield "a sixteenth more", f"{abs(16 * thing + 1):x}p-4"
        yield "as a string", str(thing)
        yield "as a float", float(thing) if abs(thing) < 10**15 else 1e15
    elif isinstance(thing, str):
        yield from _strings(thing)
        if path[-1:] in (("rotate",), ("score",), ("softmax",)):
            yield "another format", _SMALL_FORMAT
    elif isinstance(thing, list):
        yield from _lists(thing)
    elif isinstance(thing, dict):
        yield from _objects(thing)
    for other in _OTHERS:
        if type(other) is not type(thing):
            yield f"{json.dumps(other)} in its place", other


def _strings(text: str) -> Iterator[tuple[str, Any]]:
    for words in _WORDS:
        if text in words:
            yield from ((f"{word} in its place", word) for word in words)
            if "sequential" in words:
                yield "blocked", {"blocked": 2}
                yield "wide", {"wide": _SMALL_FORMAT}
    for found in re.finditer(r"[0-9a-f]+(?=p)|[0-9]+", text):
        base = 16 if text[found.end() : found.end() + 1] == "p" else 10
        number = int(found.group(), base)
        news = [number + 1, number + 2, number - 1, number - 2, 2 * number, 0]
        for new in news:
            digits = f"{abs(new):x}" if base == 16 else str(abs(new))
            yield f"{found.group()} becomes {digits}", text[: found.start()] + digits + text[found.end() :]
    for place, letter in enumerate(text):
        if letter in "0123456789abcdef":
            other = "0123456789abcdef"[("0123456789abcdef".index(letter) + 1) % (10 if letter.isdigit() else 16)]
            yield f"character {place} becomes {other}", text[:place] + other + text[place + 1 :]
        yield f"character {place} is gone", text[:place] + text[place + 1 :]
    yield "with -", "-" + text
    yield "negated within", text.replace("-", "") if "-" in text else text.replace("p", "p-").replace("(", "(-")
    yield "upper case", text.upper()
    yield "with a space", text + " "
    yield "as an integer", int(text) if re.fullmatch("-?[0-9]{1,40}", text) else 7


def _lists(things: list[Any]) -> Iterator[tuple[str, Any]]:
    for place in range(len(things)):
        yield f"without element {place}", things[:place] + things[place + 1 :]
        yield f"element {place} twice", things[: place + 1] + things[place:]
        if place:
            swapped = list(things)
            swapped[place - 1], swapped[place] = swapped[place], swapped[place - 1]
            yield f"elements {place - 1} and {place} exchanged", swapped
    yield "with one more", [*things, 10**6]


def _objects(fields: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value_of_it in fields.items():
        rest = {other: value for other, value in fields.items() if other != name}
        yield f"without {name}", rest
        yield f"{name} renamed", rest | {name + "s": value_of_it}
    yield "with one more field", fields | {"note": "x"}


def bytes_changed(data: bytes) -> Iterator[Mutant]:
    """Every byte with each of its bits flipped, gone, or doubled; those that are still JSON, as what they say.

    Bytes that differ from the canonical form of what they say come with the document None.
    """
    for place, byte in enumerate(data):
        changes = [(f"bit {bit} flipped", bytes([byte ^ (1 << bit)])) for bit in range(8)]
        for what, new in [*changes, ("gone", b""), ("twice", bytes([byte, byte]))]:
            yield RawMutant(f"byte {place} {what}", None, data[:place] + new + data[place + 1 :])


@dataclass(frozen=True)
class RawMutant(Mutant):
    """A mutant made of bytes."""

    raw: bytes = b""

    @property
    def data(self) -> bytes:
        """Its bytes."""
        return self.raw


@dataclass
class Score:
    """How many mutants there were of each truth and verdict, and those that must not be."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    undecided: Counter[str] = field(default_factory=Counter)

    @property
    def false(self) -> int:
        """How many mutants are no true claim."""
        return sum(n for (truth, _), n in self.counts.items() if truth in ("false", "malformed"))

    @property
    def killed(self) -> int:
        """How many of those are refuted or malformed."""
        return sum(
            n
            for (truth, verdict), n in self.counts.items()
            if truth in ("false", "malformed") and verdict in ("refuted", "malformed", "unsupported")
        )

    @property
    def survivors(self) -> int:
        """How many of those are verified."""
        return sum(
            n
            for (truth, verdict), n in self.counts.items()
            if truth in ("false", "malformed") and verdict == "verified"
        )

    def __str__(self) -> str:
        total = sum(self.counts.values())
        first = f"{total} mutants, {self.false} of them false or no claim: {self.killed} killed, {self.survivors} verified, "
        rest = f"{self.false - self.killed - self.survivors} undecided; by what the claim is and what the checker says:"
        lines = [first + rest]
        lines += [f"  {truth:10} {verdict:14} {n:7}" for (truth, verdict), n in sorted(self.counts.items())]
        lines += [f"  undecided {n:5} times: {reason}" for reason, n in self.undecided.most_common(12)]
        return "\n".join(lines)


def score(
    name: str,
    original: Any,
    changed: Iterable[Mutant],
    check: Callable[[bytes], Any],
    truth: Callable[[Any], Any],
    into: Score,
) -> None:
    """Check mutants of one certificate and add what they come to.

    check: bytes to a report with `verdict` and `lines`.  truth: a claim to True, False, "unknown" or "malformed".  The
    oracle is asked only where the verdict needs it: a mutant that is malformed says nothing.
    """
    for mutant in changed:
        data = mutant.data
        report = check(data)
        verdict = report.verdict
        if verdict in ("malformed", "unsupported"):
            into.counts["malformed", verdict] += 1
            continue
        document = json.loads(data)
        same = canonical(document["claim"]) == canonical(original["claim"])  # then only hints or the producer changed
        known = True if same else truth(document["claim"])
        word = "unchanged" if same else {True: "true", False: "false"}.get(known, known)
        into.counts[word, verdict] += 1
        if verdict == "undecided":
            reason = next((line for line in report.lines if line.startswith("undecided: ")), "")
            into.undecided[re.sub(r"[0-9]+", "N", reason)[:100]] += 1
            if len(reason) < 20:
                into.wrong.append(f"{name}, {mutant.what}: undecided without a reason")
        elif (verdict == "verified") is not known:
            into.wrong.append(f"{name}, {mutant.what}: {verdict}, though the oracle says {word}")
