"""The shape of a certificate: which fields there are, which kinds of claim are known, and what checks each."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol

from .exact import Purse, number, show
from .flarge import check_flarge
from .kinds import parse_valueset
from .language import Language
from .limits import Account, Malformed, Unsupported
from .modulus import Modulus
from .nmax import Nmax
from .period import Period
from .simulation import Simulation

__all__ = ["Claim", "claim_of"]

VERSION, SEMANTICS = 1, 1
_RANGE = ("C", "criterion", "g", "k", "realize", "regime")
_FIELDS = {
    "flarge": ("F", "value"),
    "language": ("class", "dfa", "member"),
    "modulus": ("C", "F", "m", "regime"),
    "nmax": (*_RANGE, "value"),
    "nmax-range": (*_RANGE, "lower", "upper"),
    "period": ("F", "eventual", "leaves", "period", "preperiod", "realize", "theta", "verdict"),
    "simulation": ("dfa", "length", "model", "order"),
}
_HINTS = {  # the hints of a language hang on its class
    "flarge": (),
    "modulus": (),
    "nmax": ("E", "fails", "road"),
    "nmax-range": ("E", "fails", "road"),
    "period": ("because", "positions"),
    "simulation": ("exhaustive_to", "states", "words"),
}


class Claim(Protocol):
    """A claim that was read."""

    def words(self) -> list[str]:
        """The claim, for a reader."""

    def check(self) -> None:
        """Show it, or raise a `Stop`."""


class Flarge:
    """The claim `flarge`."""

    def __init__(self, claim: dict[str, Any], hints: dict[str, Any], account: Account) -> None:
        purse = Purse(account)
        self.values = parse_valueset(claim["F"], "F", purse)
        self.value: Fraction | None = None if claim["value"] is None else number(claim["value"], "value", purse)
        self.account = account

    def words(self) -> list[str]:
        """The claim, for a reader."""
        if self.value is None:
            return ["f_large does not exist: no value f > 0 has exp(-f) round to 0", f"F: {self.values}"]
        return [
            f"f_large = {show(self.value)}: the least value f > 0 for which exp(-f) rounds to 0",
            f"F: {self.values}",
        ]

    def check(self) -> None:
        """Show the claim."""
        self.account.unit = 1 + (self.values.bits // 512) ** 2
        check_flarge(self.values, self.value, self.account)


_KINDS: dict[str, Callable[..., Claim]] = {
    "flarge": Flarge,
    "language": Language,
    "modulus": Modulus,
    "nmax": Nmax,
    "nmax-range": Nmax,
    "period": Period,
    "simulation": Simulation,
}


def claim_of(thing: dict[str, Any], account: Account) -> Claim:
    """The claim of a certificate, with its hints."""
    _fields(thing, "the certificate", ("claim", "fpcert", "hints", "producer", "semantics"))
    for name, version in (("fpcert", VERSION), ("semantics", SEMANTICS)):
        if type(thing[name]) is not int or thing[name] != version:
            raise Malformed(f"{name} is not {version}, the version that this checker knows")
    producer = _fields(thing["producer"], "producer", ("name", "version"))
    if not all(isinstance(text, str) for text in producer.values()):
        raise Malformed("producer has two texts")
    claim, hints = thing["claim"], thing["hints"]
    if not isinstance(claim, dict) or not isinstance(hints, dict) or not isinstance(claim.get("kind"), str):
        raise Malformed("claim and hints are objects, and the claim has a kind")
    kind = claim["kind"]
    if kind not in _KINDS:
        raise Unsupported(f"claims of kind {kind[:40]} are not checked here, only {', '.join(_KINDS)}")
    _fields(claim, "the claim", ("kind", *_FIELDS[kind]))
    if kind in _HINTS:
        _fields(hints, "hints", _HINTS[kind])
    return _KINDS[kind](claim, hints, account)


def _fields(thing: Any, what: str, names: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(thing, dict) or set(thing) != set(names):
        raise Malformed(f"{what} has the fields {', '.join(sorted(names)) or 'none'}, and no others")
    return thing
