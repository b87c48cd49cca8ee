"""`fpcert classify`."""

import json

import pytest

from certify.certificates.languages import CERTIFIED_CLASSES
from certify.languages.implications import CLASSES
from fpcert.commands import classify as module


def shown(fpcert, *arguments):
    done = fpcert("classify", *arguments, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_keys(fpcert):
    found = shown(fpcert, "(ab)*")
    assert found["states"] == 3
    assert found["k"] == 2
    assert set(found["classes"]) == set(CLASSES)
    assert found["classes"]["LTL[P,MOD]"] is True
    assert found["classes"]["LTL[P]"] is False
    assert found["witness"] is None
    assert found["reasons"] == {}
    assert shown(fpcert, "--ltl", found["formula"], "--alphabet", "ab") == found
    found = shown(fpcert, ".*ab.*", "--alphabet", "abc")
    assert found["k"] is found["formula"] is None
    assert found["witness"] == {"w": "a", "u": "cb", "z": "ca", "v": "a", "s": "b"}


def test_text(fpcert):
    done = fpcert("classify", "(ab)*")
    assert done.code == 0
    assert "whose minimal complete DFA has 3 states" in done.out
    assert "k             2" in done.out


def test_a_dfa_file(fpcert, tmp_path):
    file = tmp_path / "even.json"
    delta = {"alphabet": ["x1", "x2"], "states": 2, "initial": 0, "accepting": [0], "delta": [[1, 0], [0, 1]]}
    file.write_text(json.dumps(delta))
    found = shown(fpcert, "--dfa", str(file))
    assert found["classes"]["star_free"] is False
    assert found["witness"]["u"] == ["x1", "x2"]
    assert len(found["witness"]["z"]) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "given once"),
        (["a", "--ltl", "a"], "given once"),
        (["(ab"], "column 1"),
        (["ac", "--alphabet", "ab"], "'c'"),
        (["a", "--alphabet", ""], "at least one letter"),
        (["@"], "--alphabet"),
        (["--ltl", "F a"], "future"),
        (["--ltl", "MOD(0,0)", "--alphabet", "a"], "modulus"),
        (["--ltl", "Y^0 a"], "k of at least 1"),
        (["--dfa", "missing.json"], "missing.json|No such file"),
        (["a", "--certificate-class", "LTL[P]"], "--certificate FILE"),
        (["a", "--certificate-class", "FO2[<]", "--certificate", "x.json"], "LTL"),
        (["a", "--max-monoid", "0"], "max-monoid"),
    ],
)
def test_usage_errors(fpcert, arguments, said):
    import re

    done = fpcert("classify", *arguments)
    assert done.code == 2
    assert re.search(said, done.err)
    assert done.out == ""


def test_too_large_is_unsupported(fpcert):
    done = fpcert("classify", ".*a" + "." * 30, "--alphabet", "ab")
    assert done.code == 4
    assert "more than 100000 states" in done.err


def test_undecided(fpcert, tmp_path):
    n = 9
    up = [[q + (q == i) for q in range(n)] for i in range(n - 1)]
    down = [[q - (q == i) for q in range(n)] for i in range(1, n)]
    file = tmp_path / "maps.json"
    delta = [list(row) for row in zip(*up, *down)]
    file.write_text(
        json.dumps({"alphabet": list("abcdefghijklmnop"), "states": n, "initial": 0, "accepting": [0], "delta": delta})
    )
    done = fpcert("classify", "--dfa", str(file), "--max-monoid", "100", "--json")
    assert done.code == 3
    found = json.loads(done.out)
    assert found["classes"]["star_free"] is None
    assert found["classes"]["LTL[P,MOD]"] is False
    assert "more than 100 elements" in found["reasons"]["star_free"]
    assert (
        "undecided     star_free: the transition monoid"
        in fpcert("classify", "--dfa", str(file), "--max-monoid", "100").out
    )


def test_certificates(fpcert, tmp_path):
    file = tmp_path / "proof.json"
    assert fpcert("classify", "(ab)*", "--certificate", str(file)).code == 0
    assert json.loads(file.read_bytes())["claim"]["class"] == "LTL[P,MOD]"
    assert fpcert("check", str(file)).code == 0
    classes = [argument for name in CERTIFIED_CLASSES for argument in ("--certificate-class", name)]
    done = fpcert("classify", "(ab)*", "--certificate", str(file), *classes)
    assert done.err.startswith("wrote ")
    assert done.err.count("proof-") == 3
    files = sorted(tmp_path.glob("proof-*.json"))
    assert [json.loads(one.read_bytes())["claim"]["class"] for one in files] == list(CERTIFIED_CLASSES)
    assert fpcert("check", *map(str, files)).code == 0


def test_the_classes_of_certificates_are_those_of_the_library():
    assert module.CERTIFIED == CERTIFIED_CLASSES


def test_a_picture(fpcert, tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / "language.svg"
    done = fpcert("classify", "(ab)*", "--plot", str(file), "--json")
    assert done.code == 0
    assert json.loads(done.out)["diagram"]["covers"] == [[0, 2], [1, 2]]
    assert file.read_text().startswith("<?xml")
    assert fpcert("classify", "(ab)*", "--plot", str(tmp_path / "language.jpg")).code == 2
