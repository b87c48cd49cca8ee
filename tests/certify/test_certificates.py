"""The writers of certificates, the schema of their form, and `check`."""

import io
import json
from dataclasses import replace
from itertools import islice
from pathlib import Path

import jsonschema
import pytest
from gmpy2 import mpq

from certify.certificates import checking
from certify.certificates.checking import Checked, check, worst_exit_code
from certify.certificates.document import certificate_bytes, save_certificates
from certify.certificates.forms import number_form
from certify.certificates.periods import period_certificates, uncertified
from certify.certificates.ranges import flarge_certificate
from certify.checker import check_bytes
from certify.periodicity.collision import Collision
from certify.periodicity.compute import period
from certify.periodicity.result import Component, PeriodResult
from certify.periodicity.verdict import Verdict
from fpsim.angle import Angle
from fpsim.errors import FpcertError, InputError, UnsupportedError
from fpsim.grid_file import grid
from fpsim.pipeline import PIPELINES
from fpsim.realization import realize
from fpsim.valueset_text import value_set

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "certificate.schema.json").read_text())

# Malformed by what no JSON schema can state, as its description says.
BEYOND_THE_SCHEMA = {
    "malformed-C-dyadic-that-is-an-integer",
    "malformed-C-rational-not-reduced",
    "malformed-C-rational-that-is-dyadic",
    "malformed-g-1-times-pi",
    "malformed-g-not-reduced",
    "malformed-g-rational-root",
    "malformed-g-root-power-not-reduced",
    "malformed-grid-falling",
    "malformed-language-accepting-falling",
    "malformed-language-accepting-out-of-range",
    "malformed-language-accepting-twice",
    "malformed-language-formula-letter-out-of-range",
    "malformed-language-formula-mod-2-2",
    "malformed-language-formula-names-itself",
    "malformed-language-formula-of-P-with-mod",
    "malformed-language-initial-out-of-range",
    "malformed-language-modulus-great",
    "malformed-language-phase-not-below-the-modulus",
    "malformed-language-rank-without-modulus",
    "malformed-language-ranks-too-few",
    "malformed-language-row-too-short",
    "malformed-language-state-out-of-range",
    "malformed-language-word-letter-out-of-range",
    "malformed-largest-no-multiple-of-the-step",
    "malformed-largest-not-in-F",
    "malformed-modulus-F-another",
    "malformed-period-and-eventual-differ",
    "malformed-pipeline-entries-in-a-copy-of-F",
    "malformed-pipeline-entries-in-another-set-than-F",
    "malformed-pipeline-inverse-of-0",
    "malformed-pipeline-inverse-of-a-negative-angle",
    "malformed-pipeline-number-exact-not-in-its-form",
    "malformed-pipeline-number-that-comes-later",
    "malformed-pipeline-number-that-names-itself",
    "malformed-pipeline-number-that-there-is-not",
    "malformed-pipeline-set-that-there-is-not",
    "malformed-pipeline-with-an-angle-that-no-number-has",
    "malformed-pipeline-without-the-angle-of-a-number",
    "malformed-range-lower-above-upper",
    "malformed-stage-spelled-out",
    "malformed-table-of-an-irrational-angle",
}


# -- the schema -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator(SCHEMA)


def test_well_formed_certificates_fit_the_schema(schema, corpus):
    well_formed = corpus.good | {
        name: data for name, data in corpus.bad.items() if name.startswith(("refuted", "undecided"))
    }
    assert [name for name, data in well_formed.items() if not schema.is_valid(json.loads(data))] == []


def test_malformed_certificates_do_not(schema, corpus):
    fitting = set()
    for name, data in corpus.bad.items():
        of_fields = name.startswith("malformed-") and not name.startswith("malformed-bytes-")
        if of_fields and schema.is_valid(json.loads(data)):
            fitting.add(name)
    assert fitting == BEYOND_THE_SCHEMA


def test_what_does_not_fit_the_schema_is_not_verified(schema, corpus):
    """The schema is no stricter than the checker: of all changes of one field, those that it refuses are malformed."""
    seen = 0
    for name in ("flarge-grid-thirds", "nmax-weight-wide-e3m2", "period-counter-constant-fp16"):
        for mutant in islice(corpus.mutations.mutants(json.loads(corpus.good[name])), 0, None, 4):
            if not schema.is_valid(mutant.document):
                verdict = check_bytes(mutant.data).verdict
                assert verdict in ("malformed", "unsupported"), mutant.what
                seen += 1
    assert seen > 200


def test_the_documentation_names_the_schema():
    docs = Path(__file__).parents[2] / "docs"
    assert "(certificate.schema.json)" in (docs / "certificates.md").read_text()


# -- documents ------------------------------------------------------------------------------------------------------


def test_documents_are_canonical(corpus):
    data = certificate_bytes({"kind": "period", "leaves": 10**6000}, {"positions": []})
    assert data.endswith(b"}\n")
    assert data.count(b"\n") == 1
    assert b" " not in data
    assert b"0" * 6000 in data
    document = json.loads(flarge_certificate("fp16"))
    assert sorted(document) == ["claim", "fpcert", "hints", "producer", "semantics"]
    assert corpus.mutations.canonical(document) == flarge_certificate("fp16")


def test_several_certificates_are_numbered_files(tmp_path):
    one, two = flarge_certificate("fp16"), flarge_certificate("bf16")
    assert save_certificates([one], tmp_path / "a.json") == [tmp_path / "a.json"]
    assert save_certificates([one, two], tmp_path / "b.json") == [tmp_path / "b-1.json", tmp_path / "b-2.json"]
    assert (tmp_path / "b-2.json").read_bytes() == two
    with pytest.raises(FpcertError, match="cannot write"):
        save_certificates([one], tmp_path / "missing" / "a.json")


# -- periods --------------------------------------------------------------------------------------------------------


def certificates(**options):
    return [json.loads(data) for data in period_certificates(period(**options))]


def test_one_certificate_for_each_component():
    found = certificates(base=10_000, dim=8, dtype="bf16", realize="counter")
    assert [each["claim"]["theta"] for each in found] == ["1", "1/10", "1/100", "1/1000"]
    assert {each["claim"]["preperiod"] for each in found} == {256}
    assert [each["hints"] for each in found] == 4 * [{"because": "eventually-constant", "positions": [256, 255]}]


@pytest.mark.parametrize(
    ("options", "hints"),
    [
        ({"theta": "1", "dtype": "fp16"}, {"because": "irrational-angle", "positions": [1, 2]}),
        ({"theta": "1", "dtype": "fixed:8.0:zero"}, {"because": "irrational-angle", "positions": [0, 1]}),
        ({"theta": "1", "dtype": "fp16", "realize": "phase"}, {"because": "left-F", "positions": [65520]}),
        ({"theta": "1", "dtype": "e5m2", "realize": "recurrence"}, {"because": "state-cycle", "positions": [0, 6]}),
        ({"theta": "0", "dtype": "fp16"}, {"because": "finite-table", "positions": [0]}),
        ({"theta": "2pi/30", "dtype": "fp16"}, {"because": "finite-table", "positions": [0, 15]}),
    ],
)
def test_hints_name_the_positions_of_the_proof(options, hints):
    (certificate,) = certificates(**options)
    assert certificate["hints"] == hints


@pytest.mark.parametrize("theta", ["2pi*1/2006", "2pi*3/200006", "2pi*1/20000000006", "2pi*7/1000000000000000000000"])
@pytest.mark.parametrize("mode", ["zero", "even"])
def test_a_table_names_two_positions_that_differ(theta, mode):
    """Also where a table differs from a constant one at a single entry, far out."""
    values = value_set("fp16") if mode == "even" else grid([-1, 0], overflow="saturate")
    if mode == "zero":
        values = replace(values, rounding="zero")
    (data,) = period_certificates(period(theta=theta, dtype=values))
    claimed, (i, j) = json.loads(data)["claim"], json.loads(data)["hints"]["positions"]
    rotation = realize("ideal", Angle.parse(theta), values)
    assert claimed["period"] == rotation.angle.turns.denominator
    assert rotation.block(i) != rotation.block(j)
    assert check(data).report.verdict == "verified"


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"theta": "1", "dtype": "fp16", "window": 64}, "not ideal mod 64"),
        ({"theta": "1/100", "dtype": "fp16", "realize": "recurrence", "max_steps": 1000}, "is undecided"),
        ({"theta": "1", "dtype": "fp16", "pipeline": next(iter(PIPELINES)), "window": 64}, "and pipelines, not"),
    ],
)
def test_what_has_no_certificate(options, what):
    with pytest.raises(UnsupportedError, match=what):
        certificates(**options)


def test_an_undecided_component_leaves_the_others_their_certificates():
    result = period(theta=["1", "1/100"], dtype="fp16", realize="recurrence", max_steps=1000)
    (data,) = period_certificates(result)
    assert json.loads(data)["claim"]["theta"] == "1"
    assert list(uncertified(result)) == [1]
    assert "undecided" in uncertified(result)[1]


@pytest.mark.parametrize(
    "verdict",
    [
        Verdict("non-periodic", "left-F", "a later one may be", witness=(9,)),
        Verdict("non-periodic", "eventually-constant", "from 9 on, or earlier", eventual_period=1, witness=(9, 3)),
    ],
)
def test_a_verdict_that_knows_no_exact_position_is_no_claim(verdict):
    """It would be read as the claim that there are no such numbers."""
    rotation = realize("phase", Angle.parse("1"), value_set("fp16"))
    component = Component(0, "1", None, verdict, Collision(None, ""), rotation)
    with pytest.raises(UnsupportedError, match="not known exactly"):
        period_certificates(PeriodResult((component,), "", "fp16", "phase"))


@pytest.mark.parametrize(
    "number", [0, 40, -3, mpq(1, 3), mpq(-7, 10), mpq(555, 32), 1 << 127, 1 << 128, -(1 << 200), mpq(-1, 1 << 24)]
)
def test_numbers_have_the_form_that_the_schema_and_the_checker_know(number, schema, corpus):
    form = number_form(number)
    assert schema.evolve(schema={"$ref": "#/$defs/number", "$defs": SCHEMA["$defs"]}).is_valid(form)
    values = {"kind": "grid", "overflow": "inf", "rounding": "even", "values": sorted_forms(number)}
    report = check_bytes(corpus.hostile.certificate(corpus.hostile.flarge(values, None), {}))
    assert report.verdict in ("verified", "refuted"), str(report)


def sorted_forms(number):
    return [number_form(x) for x in sorted({mpq(0), mpq(number)})]


# -- check ----------------------------------------------------------------------------------------------------------


def test_check_takes_a_file_bytes_or_standard_input(tmp_path, monkeypatch):
    data = flarge_certificate("fp16")
    file = tmp_path / "a.json"
    file.write_bytes(data)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    found = [check(file), check(str(file)), check(data), check("-"), check(data, name="of mine")]
    assert [each.report.verdict for each in found] == 5 * ["verified"]
    assert [each.file for each in found] == [str(file), str(file), "-", "-", "of mine"]
    assert len({each.report.sha256 for each in found}) == 1


def test_a_file_that_cannot_be_read_is_malformed(tmp_path):
    for file in (tmp_path / "missing", tmp_path, "a\0b"):
        found = check(file)
        assert found.exit_code == 2
        assert "cannot be read" in str(found)
    if Path("/dev/zero").exists():
        assert check("/dev/zero").exit_code == 2


@pytest.mark.parametrize(
    ("options", "what"),
    [({"max_work": 0}, "max_work"), ({"max_work": True}, "max_work"), ({"opinions": ["oracle"]}, "with")],
)
def test_arguments_that_cannot_be_taken(options, what):
    with pytest.raises(InputError, match=what):
        check(flarge_certificate("fp16"), **options)


def test_the_worst_exit_code_decides(corpus):
    names = (
        "refuted-flarge-0",
        "malformed-k-0",
        "undecided-recurrence-of-10-to-15-steps",
        "unsupported-kind-simulation",
    )
    found = [check(corpus.bad[name]) for name in names] + [check(corpus.good["flarge-fp16"])]
    assert [each.exit_code for each in found] == [1, 2, 3, 4, 0]
    while found:
        assert worst_exit_code(reversed(found)) == found[0].exit_code
        found.pop(0)
    assert worst_exit_code([]) == 0


@pytest.mark.parametrize(
    ("file", "says", "contradicted"),
    [
        ("flarge-fp16", "verified", False),
        ("flarge-fp16", "undecided", False),
        ("flarge-fp16", "refuted", True),
        ("refuted-flarge-0", "verified", True),
        ("refuted-flarge-0", "unsupported", False),
    ],
)
def test_an_opinion_counts_where_it_contradicts(file, says, contradicted, corpus, monkeypatch):
    monkeypatch.setattr(checking, "_opinion", lambda *_: (says, "because"))
    found = check((corpus.good | corpus.bad)[file], opinions=["flint"])
    assert found.contradicted is contradicted
    assert (found.exit_code == 70) is contradicted
    assert (worst_exit_code([found, check(corpus.bad["refuted-flarge-0"])]) == 70) is contradicted
    assert f"flint says {says}: because" in str(found)
    assert found.to_json()["opinions"] == {"flint": {"verdict": says, "text": "because"}}


def test_no_opinion_is_asked_of_what_is_malformed(corpus, monkeypatch):
    monkeypatch.setattr(checking, "_opinion", lambda *_: pytest.fail("asked"))
    assert check(corpus.bad["malformed-k-0"], opinions=["flint", "smt"]).opinions == {}


def test_the_entry_in_json(corpus):
    found = check(corpus.good["flarge-fp16"], name="a b")
    assert isinstance(found, Checked)
    shown = found.to_json()
    assert shown["verdict"] == "verified"
    assert shown["obligations"] == 2
    assert (
        shown["text"][1]
        == "claim (semantics 1): f_large = 17.34375: the least value f > 0 for which exp(-f) rounds to 0"
    )
    assert shown["contradicted"] is False


def test_flint_says_the_same_of_the_corpus(corpus):
    """Where it says something at all."""
    pytest.importorskip("flint")
    few = (
        "flarge-fp16",
        "nmax-fp16-g1-C40",
        "nmax-weight-wide-e3m2",
        "period-table-84-fp16",
        "period-irrational-fp16-1",
    )
    wrong = ("refuted-flarge-one-ulp-more", "refuted-nmax-fp16-value-plus-1", "refuted-period-table-halved")
    for names, verdict in ((few, "verified"), (wrong, "refuted")):
        for name in names:
            found = check((corpus.good | corpus.bad)[name], opinions=["flint"])
            assert found.opinions["flint"][0] == verdict, str(found)
            assert not found.contradicted
