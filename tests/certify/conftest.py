"""What several tests of this folder need."""

import importlib.util
import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

CERTIFICATES = Path(__file__).parents[1] / "certificates"


def _load(name: str, folder: Path = CERTIFICATES) -> ModuleType:
    """A module of a folder that is no package; dataclasses look for it in `sys.modules`."""
    known = f"tests_{folder.name}_{name}"
    if known not in sys.modules:
        spec = importlib.util.spec_from_file_location(known, folder / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[known] = module
        spec.loader.exec_module(module)
    return sys.modules[known]


@pytest.fixture(scope="session")
def corpus() -> SimpleNamespace:
    """The modules beside the corpus, and its files: name to bytes."""
    modules = ("bad_files", "good_claims", "hostile", "mutations", "oracle", "random_claims")
    files = {
        folder: {path.stem: path.read_bytes() for path in sorted((CERTIFICATES / folder).glob("*.json"))}
        for folder in ("good", "bad")
    }
    return SimpleNamespace(folder=CERTIFICATES, **files, **{name: _load(name) for name in modules})


@pytest.fixture(scope="session")
def formulas() -> ModuleType:
    """compiled_formulas.py."""
    return _load("compiled_formulas", Path(__file__).parent)


@pytest.fixture(scope="session")
def disagreements(corpus: SimpleNamespace) -> Callable[..., tuple[list[tuple[int, object, str]], dict[tuple, int]]]:
    """Compares the verdicts on random claims, and on the same with the right numbers, with what the producer says."""

    def compare(draw, check, seeds):
        """draw: the claim of a random generator.  check: bytes to a report.  Those that differ, and a count of each."""
        found, counts = [], {}
        for seed in seeds:
            rng = random.Random(seed)
            claim = draw(rng)
            right = corpus.oracle.corrected(claim)
            for each in (claim, right):
                if each is None:
                    continue
                known = True if each is right else corpus.oracle.truth(each)
                report = check(corpus.mutations.canonical(corpus.random_claims.with_hints(each, rng)))
                counts[known, report.verdict] = counts.get((known, report.verdict), 0) + 1
                wrong = {True: ("refuted", "malformed"), False: ("verified", "malformed")}.get(known, ("verified",))
                if report.verdict in wrong:
                    found.append((seed, known, str(report)))
        return found, counts

    return compare
