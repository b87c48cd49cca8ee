"""What several tests of this folder need."""

import importlib.util
import sys
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
