"""Anything at all in place of a certificate ends in a verdict, soon; and random claims get the producer's verdict."""

import json
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from certify.checker import check_bytes

WORK = 20_000
SECONDS = 5  # of one check with that much work, on a machine that does other things too
FUZZ = settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])


def check(data):
    """The verdict on any bytes: never an exception, never an internal error, never long."""
    begin = time.process_time()
    report = check_bytes(data, WORK)
    assert time.process_time() - begin < SECONDS
    assert report.exit_code in {0, 1, 2, 3, 4}
    assert report.lines[-1].startswith(f"verdict={report.verdict} file=- sha256={report.sha256} ")
    if report.verdict == "verified":
        assert report.obligations >= 1
    return report


def must_be_true(corpus, data):
    """Whatever is verified is what the producer finds as well, where it is known soon."""
    report = check(data)
    if report.verdict == "verified" and data not in corpus.good.values():
        assert corpus.oracle.truth(json.loads(data)["claim"]) in (True, corpus.oracle.UNKNOWN), data
    return report


def canonical(document):
    return (json.dumps(document, sort_keys=True, separators=(",", ":")) + "\n").encode()


# What certificates consist of, and what it takes to break a reader.
WORDS = (
    *("claim", "fpcert", "hints", "producer", "semantics", "kind", "value", "F", "name", "version", "flarge", "period"),
    *(
        "nmax",
        "nmax-range",
        "float",
        "grid",
        "fixed",
        "1/3",
        "22bp-5",
        "1p-1",
        "pi",
        "2/7*pi",
        "10^(-1/3)",
        "-0",
        "1/0",
        "",
    ),
)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.sampled_from(WORDS) | st.text("0123456789abcdefp-/*^()", max_size=9)
)
THINGS = st.recursive(
    SCALARS | st.floats(),
    lambda things: st.lists(things, max_size=4) | st.dictionaries(st.sampled_from(WORDS), things, max_size=5),
    max_leaves=12,
)


@FUZZ
@given(st.binary(max_size=300))
def test_bytes(data):
    assert check(data).verdict == "malformed"


@FUZZ
@given(st.text('{}[]":,0123456789-+.eE \n\\/abcdefnulltrueNaNInfinity', max_size=60))
def test_texts_of_json(text):
    assert check(text.encode()).verdict == "malformed"


@FUZZ
@given(THINGS)
def test_any_json(thing):
    assert check(canonical(thing)).verdict == "malformed"


@FUZZ
@given(st.data())
def test_truncated_and_spliced_certificates(corpus, data):
    files = st.sampled_from(list(corpus.good.values()))
    one, other = data.draw(files), data.draw(files)
    cut, paste = data.draw(st.integers(0, len(one))), data.draw(st.integers(0, len(other)))
    must_be_true(corpus, one[:cut])
    must_be_true(corpus, one[:cut] + other[paste:])
    must_be_true(corpus, one[:cut] + data.draw(st.binary(max_size=4)) + one[data.draw(st.integers(cut, len(one))) :])


def places(thing, path=()):
    """Every place of a document, as a path."""
    yield path
    parts = thing.items() if isinstance(thing, dict) else enumerate(thing) if isinstance(thing, list) else ()
    for key, part in parts:
        yield from places(part, (*path, key))


def at(thing, path):
    for key in path:
        thing = thing[key]
    return thing


def put(document, path, new):
    if not path:
        return new
    at(document, path[:-1])[path[-1]] = new
    return document


@FUZZ
@given(st.data())
def test_parts_of_one_certificate_in_another(corpus, data):
    """Three parts are replaced by the part with the same name of some other file, or by anything."""
    cheap = [file for name, file in corpus.good.items() if "C1e18" not in name and "C1e37" not in name]
    document = json.loads(data.draw(st.sampled_from(cheap)))
    for _ in range(3):
        donor = json.loads(data.draw(st.sampled_from(cheap)))
        path = data.draw(st.sampled_from(list(places(document))))
        alike = [other for other in places(donor) if path[-1:] == other[-1:]]
        new = at(donor, data.draw(st.sampled_from(alike))) if alike and data.draw(st.booleans()) else data.draw(SCALARS)
        document = put(document, path, new)
    must_be_true(corpus, canonical(document))


@FUZZ
@given(st.data())
def test_any_scalar_in_any_place(corpus, data):
    document = json.loads(data.draw(st.sampled_from(list(corpus.good.values()))))
    path = data.draw(st.sampled_from([path for path in places(document) if path and path[0] == "claim"]))
    must_be_true(corpus, canonical(put(document, path, data.draw(SCALARS))))


# -- random claims ----------------------------------------------------------------------------------------------------


def test_random_claims_have_the_verdict_that_the_producer_says(corpus, disagreements):
    found, counts = disagreements(corpus.random_claims.random_claim, check, range(250))
    assert found == []
    assert counts[True, "verified"] > 150
    assert counts[False, "refuted"] > 100


@pytest.mark.exhaustive
def test_many_random_claims(corpus, disagreements):
    found, counts = disagreements(corpus.random_claims.random_claim, check, range(1000, 5000))
    assert found == []
    assert counts[True, "verified"] > 0.95 * sum(n for (known, _), n in counts.items() if known is True)
    assert counts[False, "refuted"] > 0.95 * sum(n for (known, _), n in counts.items() if known is False)
