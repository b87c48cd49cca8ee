"""Every change of one field, or of one byte, of a true certificate: none that makes it false is verified.

The producer's code is the oracle of what a changed claim says.  The kill score is printed.
"""

import json
from itertools import islice

import pytest

from certify.checker import check_bytes

# All kinds of claim, and of proof, that take milliseconds.
FEW = (
    "flarge-fp16",
    "flarge-fp16-ftz",
    "flarge-fp16-up-none",
    "flarge-grid-thirds",
    "language-P-begins-with-a",
    "language-MOD-ab",
    "language-MOD-not-ab-inside",
    "language-star-free-not-parity",
    "modulus-e4m3-blocked-10",
    "modulus-e5m2-8",
    "modulus-mixed-e4m3-score-fp16-softmax-e5m2-10",
    "modulus-wide-fixed-8.4-4",
    "nmax-fp16-g1-C40",
    "nmax-e4m3-nan-pair-g1-C256",
    "nmax-vacuous-fixed-8.4-g1-C7",
    "nmax-fp16-k7-g1-C40",
    "nmax-weight-sequential-fp16",
    "nmax-weight-wide-e3m2",
    "nmax-mixed-e4m3-score-fp16-fma",
    "nmax-range-both-bf16-g1-C1e4",
    "period-irrational-fp16-1",
    "period-directed-witness-at-0",
    "period-left-F-at-0",
    "period-table-84-fp16",
    "period-counter-constant-fp16",
    "period-pipeline-kept-divide-fixed",
    "period-pipeline-all-fp16",
    "nmax-pipeline-divide-fixed",
    "period-recurrence-periodic-e5m2",
    "period-recurrence-leaves-F-e5m2-0.3",
)
LONG = ("nmax-fp32-g0.1-C1e9", "nmax-range-lower-only-fp32-g0.1-C1e9", "period-recurrence-leaves-F-fp16-0.01")
WORK = 200_000


def check(data):
    return check_bytes(data, WORK)


def scored(corpus, names, capsys, changes):
    """The score of these files; it must have no wrong verdict."""
    engine = corpus.mutations
    total = engine.Score()
    for name in names:
        document = json.loads(corpus.good[name])
        engine.score(name, document, changes(name, document), check, corpus.oracle.truth, total)
    with capsys.disabled():
        print(f"\nkill score of {len(names)} certificates: {total}")
    assert total.wrong == []
    assert total.survivors == 0
    return total


def test_changes_of_one_field(corpus, capsys):
    total = scored(corpus, FEW, capsys, lambda _, document: corpus.mutations.mutants(document))
    assert total.false > 8000
    assert total.killed == total.false  # none of these takes more work than it is given


@pytest.mark.parametrize(
    ("quarter", "every"),
    [pytest.param(quarter, 4, marks=pytest.mark.exhaustive) for quarter in range(4)]
    + [pytest.param(quarter, 1, marks=pytest.mark.thorough) for quarter in range(4)],
)
def test_changes_of_one_field_of_the_whole_corpus(quarter, every, corpus, capsys):
    """A quarter of the certificates, each change of them or every fourth one; but for the hints and the producer of
    those that take a second each.
    """

    def changes(name, document):
        found = corpus.mutations.mutants(document)
        kept = (m for m in found if m.what.startswith("claim")) if name in LONG else found
        return islice(kept, quarter % every, None, every)

    names = list(corpus.good)[quarter::4]
    total = scored(corpus, names, capsys, changes)
    assert total.false > 10_000 // every
    assert total.killed > total.false * 0.998  # the rest is undecided, for want of work


@pytest.mark.parametrize("name", ["flarge-fp16", "nmax-e4m3-nan-pair-g1-C256"])
def test_changes_of_one_byte(name, corpus, capsys):
    data = corpus.good[name]
    total = scored(corpus, [name], capsys, lambda *_: corpus.mutations.bytes_changed(data))
    assert total.false > 2000


def test_the_engine_finds_a_checker_that_believes(corpus):
    """The engine itself can fail: it is run on checkers that take the hint, or the name of the producer, for proof."""
    engine, name = corpus.mutations, "nmax-fp16-g1-C40"
    document = json.loads(corpus.good[name])

    class Report:
        def __init__(self, verdict):
            self.verdict, self.lines = verdict, ("undecided: because of this and that",)

    def believing(data):
        known = check(data)
        claims_to_be_ours = b'"name":"fpcert"' in data
        return Report("verified" if claims_to_be_ours and known.verdict == "refuted" else known.verdict)

    def denying(data):
        known = check(data)
        return Report("refuted" if known.verdict == "verified" else known.verdict)

    for wrong in (believing, denying):
        total = engine.Score()
        engine.score(name, document, engine.mutants(document), wrong, corpus.oracle.truth, total)
        assert len(total.wrong) > 10


def test_mutants_are_what_they_say(corpus):
    document = {"a": 3, "b": ["x", "1/3"], "c": True}
    found = {mutant.what: mutant.document for mutant in corpus.mutations.mutants(document)}
    assert found["a: + 1"] == document | {"a": 4}
    assert found["a: negated"] == document | {"a": -3}
    assert found["b.1: 3 becomes 4"] == document | {"b": ["x", "1/4"]}
    assert found["b: without element 0"] == document | {"b": ["1/3"]}
    assert found["c: flipped"] == document | {"c": False}
    assert found[": without c"] == {"a": 3, "b": ["x", "1/3"]}
    assert found[": c renamed"] == {"a": 3, "b": ["x", "1/3"], "cs": True}
    canonical = corpus.mutations.canonical(document)
    assert canonical not in {mutant.data for mutant in corpus.mutations.mutants(document)}
