"""The checker where there is nothing but Python, and hostile files within bounds of time and memory."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import certify.checker
from certify.checker.canonical import canonical

FOLDER = Path(certify.checker.__file__).parent
MODULES = sorted(FOLDER.glob("*.py"))
FP16 = {
    "kind": "float",
    "precision": 11,
    "emin": -14,
    "largest": 65504,
    "ftz": False,
    "overflow": "inf",
    "rounding": "even",
}
HUGE = {**FP16, "precision": 240, "emin": -1_000_000, "largest": "1p1000000"}
FP128 = {**FP16, "precision": 113, "emin": -16382, "largest": "1" + "f" * 28 + "p16271"}
LONG = "f" * 20_000


def nmax(F=FP16, hints=None, **fields):
    stages = {
        "values": F,
        "rotate": "values",
        "score": "values",
        "softmax": "values",
        "fma": False,
        "order": "sequential",
    }
    claim = {
        "kind": "nmax",
        "g": "1",
        "C": 40,
        "k": 1,
        "realize": "ideal",
        "criterion": "gap",
        "value": 5,
        "regime": stages,
    }
    return certificate(claim | fields, {"fails": [7, 0], "road": "pairs", "E": None} | (hints or {}))


def period(F, theta, realize, positions=(), **fields):
    claim = {"kind": "period", "F": F, "theta": theta, "realize": realize, "verdict": "non-periodic", "period": None}
    claim |= {"preperiod": None, "eventual": None, "leaves": None} | fields
    return certificate(claim, {"because": "left-F", "positions": list(positions)})


def certificate(claim, hints):
    parts = {
        "claim": claim,
        "fpcert": 1,
        "hints": hints,
        "producer": {"name": "a test", "version": "0"},
        "semantics": 1,
    }
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return canonical(parts)
    finally:
        sys.set_int_max_str_digits(limit)


def far(exponent, k=1, **fields):
    return nmax(k=k, value=k + 10**exponent, hints={"fails": [k + 10**exponent + 2, 0]}, **fields)


@pytest.fixture
def alone(tmp_path):
    """Runs a copy of the folder, under another name, from an empty folder, by an interpreter that sees only its library."""
    home, empty = tmp_path / "copied", tmp_path / "empty"
    home.mkdir()
    empty.mkdir()
    for module in MODULES:
        shutil.copy(module, home)

    def run(*arguments, **options):
        command = [sys.executable, "-I", "-S", str(home), *arguments]
        return subprocess.run(command, cwd=empty, capture_output=True, check=False, timeout=120, **options)

    return run


def test_it_runs_alone(alone, tmp_path):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_bytes(nmax())
    bad.write_bytes(nmax(value=6, hints={"fails": [8, 0]}))
    done = alone(str(good))
    assert (done.returncode, done.stderr) == (0, b"")
    last = done.stdout.decode().splitlines()[-1]
    assert last.startswith(f"verdict=verified file={good} sha256=")
    assert done.stdout.decode().splitlines()[:2] == [
        f"certificate {good}, {len(nmax())} bytes",
        "claim (semantics 1): N_max^(1)(g = 1, C = 40) = 5, criterion gap, rotation realized as ideal",
    ]
    assert alone(str(good), str(bad)).returncode == 1
    assert alone("-", input=good.read_bytes()).returncode == 0
    assert alone("-", input=b"").returncode == 2
    assert alone(str(tmp_path / "missing")).returncode == 2
    assert alone().returncode == 2
    assert alone("--max-work", "3", str(good)).returncode == 3
    assert b"exit code" in alone("-h").stdout.lower()


def test_it_runs_as_a_module_of_the_package(tmp_path):
    (tmp_path / "good.json").write_bytes(nmax())
    done = subprocess.run(
        [sys.executable, "-m", "certify.checker", "good.json"], cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_files_beside_the_folder_and_in_it_hide_nothing(alone, tmp_path):
    for place in (tmp_path, tmp_path / "copied", tmp_path / "empty"):
        (place / "json.py").write_text("raise SystemExit(0)\n")
        (place / "fractions.py").write_text("raise SystemExit(0)\n")
    assert alone("-", input=b"").returncode == 2


@pytest.mark.parametrize("file", MODULES, ids=lambda file: file.name)
def test_a_module_imports_only_the_standard_library_and_its_neighbours(file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert all(name.name.partition(".")[0] in sys.stdlib_module_names for name in node.names)
        if isinstance(node, ast.ImportFrom):
            inside = node.level == 1 and (FOLDER / f"{node.module}.py").exists()
            assert inside or (node.level == 0 and node.module.partition(".")[0] in sys.stdlib_module_names)
        assert not isinstance(node, ast.Assert), "python -O takes it out"


def test_importing_it_loads_nothing_else():
    code = "import sys, certify.checker; print([m for m in sys.modules if m.partition('.')[0] in ('numpy', 'numba', 'gmpy2', 'mpmath', 'fpsim')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"[]\n"


GRID = {"kind": "grid", "overflow": "saturate", "rounding": "zero"}
HOSTILE = {
    "too many bytes": (2, lambda: b'"' + b"a" * 2_000_000),
    "spaces": (2, lambda: b" " * 1_048_576),
    "open brackets": (2, lambda: b"[" * 1_048_576),
    "nested lists": (2, lambda: b"[" * 500_000 + b"]" * 500_000),
    "nested objects": (2, lambda: b'{"a":' * 170_000),
    "many items": (2, lambda: b"[" + b"0," * 500_000 + b"0]\n"),
    "many lists": (2, lambda: b"[" + b",".join([b"[]"] * 60_000) + b"]\n"),
    "a million digits": (2, lambda: b"[" + b"9" * 1_000_000 + b"]\n"),
    "many long integers": (2, lambda: b"[" + b",".join([b"9" * 20_000] * 50) + b"]\n"),
    "long strings": (2, lambda: b"[" + b",".join([b'"' + b"a" * 60_000 + b'"'] * 17) + b"]\n"),
    "a great exponent of ten": (2, lambda: b'{"a":1e999999999}\n'),
    "long positions": (3, lambda: period(FP16, "1", "ideal", [10**19_999] * 50)),
    "a great C": (3, lambda: nmax(C="1p1000000")),
    "a small C": (3, lambda: nmax(C="1p-1000000")),
    "a long C": (3, lambda: nmax(C=f"{LONG}p1000000")),
    "a great angle": (3, lambda: nmax(g="7" * 20_000)),
    "a great root": (3, lambda: nmax(g="2*" + "7" * 1_000 + "^(" + "7" * 999 + "/1" + "0" * 998 + ")")),
    "a root beyond all": (3, lambda: nmax(g="7^(" + "9" * 999 + "/2)")),
    "a far pair": (3, lambda: far(60)),
    "a pair too far": (3, lambda: far(19_990)),
    "a great offset": (3, lambda: far(3, k=10**60)),
    "a great offset in weights": (3, lambda: far(3, k=10**60, criterion="weight")),
    "a far counter": (3, lambda: far(60, realize="counter")),
    "a far phase": (3, lambda: far(1_000, realize="phase")),
    "a far recurrence": (3, lambda: far(60, realize="recurrence")),
    "many near-returns": (3, lambda: nmax(FP128, C="1p4000", value=10**60, hints={"fails": [10**60 + 2, 0]})),
    "many near-returns of a great C": (3, lambda: nmax(FP128, C="1p16000", value=10**990, hints={"fails": [10**990 + 2, 0]})),
    "great exponents": (3, lambda: nmax(HUGE, C="1p999999")),
    "great exponents, far": (3, lambda: nmax(HUGE, realize="phase", value=10**20, hints={"fails": [10**20 + 2, 0]})),
    "a fine step": (3, lambda: nmax({"kind": "fixed", "step": "1p-1000000", "largest": 1, "overflow": "inf", "rounding": "up"})),
    "many multiples": (3, lambda: nmax({"kind": "fixed", "step": "1p-19000", "largest": 64, "overflow": "inf", "rounding": "even"})),
    "a full grid": (3, lambda: far(60, F={**GRID, "values": list(range(65_536))})),
    "a grid of exponents": (3, lambda: nmax({**GRID, "values": [0, *(f"1p{e}" for e in range(-1_000_000, -940_000))]})),
    "a grid of long numbers": (3, lambda: nmax({**GRID, "values": [0, *(f"{LONG}p{e}" for e in range(-1_000_000, -999_993))]})),
    "a grid of long quotients": (3, lambda: nmax({**GRID, "values": [0, *("7" * n + "/1" + "0" * 19_989 for n in range(19_990, 20_000))]})),
    "a wheel of many teeth": (1, lambda: period(FP16, "2/" + "9" * 1_000 + "*pi", "table", verdict="periodic", period=3, preperiod=0, eventual=3)),
    "states of a million bits": (3, lambda: period({**HUGE, "largest": "1p-60", "overflow": "saturate"}, "1/4*pi", "recurrence", preperiod=2_900_000, eventual=1)),
    "a long cycle": (3, lambda: period(FP16, "1", "recurrence", preperiod=10**60, eventual=10**60)),
    "a late NaN": (3, lambda: period(FP16, "1", "recurrence", leaves=10**1_000)),
    "a climbing counter": (3, lambda: period({**HUGE, "rounding": "up"}, "1", "counter", leaves=10**4_900)),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_in_2_seconds_and_256_megabytes(alone, tmp_path, name):
    resource = pytest.importorskip("resource")

    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (256 << 20, 256 << 20))
        resource.setrlimit(resource.RLIMIT_CPU, (2, 3))

    code, content = HOSTILE[name]
    (tmp_path / "hostile").write_bytes(content())
    done = alone(str(tmp_path / "hostile"), preexec_fn=limited)
    assert (done.returncode, done.stderr) == (code, b""), done.stdout[-300:]
