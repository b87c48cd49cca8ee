"""`trace`: small heads by hand, every kind of event by brute force, and what it refuses."""

from __future__ import annotations

import json
import math
from itertools import combinations

import numpy as np
import pytest
from gmpy2 import mpq

from fpsim import reference
from fpsim.errors import InputError, UnsupportedError
from fpsim.grid_file import grid
from fpsim.rounding.reference import is_nan
from fpsim.tracing import compute, trace
from fpsim.transformer import Attention, Layer, Linear, Precision, Rotary, Transformer, rounded
from fpsim.transformer.forward import activations

INF = float("inf")


def plain(dtype, letters, *, query=(1.0,), bos=(0.0, 0.0), mask="strict", **options):
    """One head: the query is `query`, a key the last coordinates of the embedding, a value its first coordinate."""
    size = len(query)
    zeros, one = [[0.0] * (size + 1)], [[1.0] + [0.0] * size]
    key = [[float(n == m + 1) for n in range(size + 1)] for m in range(size)]
    attention = Attention(
        query=Linear(zeros * size, list(query)), key=Linear(key), value=Linear(one),
        output=Linear([[float(n == 0)] for n in range(size + 1)]),
    )  # fmt: skip
    rows = [bos, [0.0] * (size + 1), *letters.values()]
    precision = Precision.of(dtype, **options)
    return Transformer(tuple(letters), rows, (Layer(attention),), Linear(one), precision, mask=mask)


def random_model(dtype, seed, *, scale=1.0, mask="strict", **options):
    rng = np.random.default_rng(seed)

    def linear(out, inputs):
        return Linear(rng.normal(size=(out, inputs)) * scale, rng.normal(size=out) * scale)

    rotary = Rotary.of(["1"], heads=2)
    layers = tuple(
        Layer(Attention(linear(4, 4), linear(4, 4), linear(4, 4), linear(4, 4), 2, rotary)) for _ in range(2)
    )
    model = Transformer(
        ("a", "b", "c"), rng.normal(size=(5, 4)) * scale, layers, linear(1, 4), Precision.of(dtype, **options), mask=mask
    )  # fmt: skip
    return rounded(model)


def kinds(found, query):
    return {(event.kind, event.stage): event.count for event in found.events if event.query == query}


def test_a_head_by_hand():
    """Scores 0 and -1 in fp16: e^-1 = 0.3678... is 0.367919921875 there, the sum of both 1.3681640625 (a tie above)."""
    found = trace(plain("fp16", {"a": (3.0, -1.0)}), "a", 0, 0)
    start, first, end = found.rows
    assert (start.keys, start.target, start.denominator, start.output, start.exact_denominator) == (
        0,
        None,
        0,
        (0,),
        None,
    )
    assert (first.keys, first.target, first.weights, first.output) == (1, 0, (1,), (0,))
    e = mpq(0.367919921875)
    z = reference.add(Precision.of("fp16").values, mpq(1), e)
    assert (end.scores, end.exponentials, end.denominator) == ((0, -1), (1, e), z)
    assert end.weights == tuple(reference.div(Precision.of("fp16").values, x, z) for x in (mpq(1), e))
    assert end.exact_scores == (0, -1)
    assert float(end.exact_denominator) == pytest.approx(1 + math.exp(-1), rel=1e-15)
    assert float(end.exact_weights[1]) == pytest.approx(1 / (1 + math.e), rel=1e-15)
    assert float(end.exact_output[0]) == pytest.approx(3 / (1 + math.e), rel=1e-15)
    assert end.worst[0] in (0, 1)
    assert abs(float(end.worst[1])) < 2**-11
    assert found.events == ()
    assert "rounding moved numbers, and nothing else" in str(found)


def test_weights_that_vanish():
    """-18 is beyond f_large = 17.34375 of fp16, -17 is not: e^-17 = 4.1e-8 rounds to 2^-24."""
    model = plain("fp16", {"a": (1.0, -18.0), "b": (1.0, -17.0)})
    found = trace(model, "aab", 0, 0)
    assert kinds(found, 4) == {("underflow", "exponential"): 2, ("stagnation", "denominator"): 1, ("hard", "weight"): 1}
    under, stays, hard = (event for event in found.events if event.query == 4)
    assert (under.key, under.realized) == (1, 0)
    assert float(under.exact) == pytest.approx(math.exp(-18))
    assert (stays.key, stays.exact, stays.realized) == (3, 1 + mpq(1, 2**24), 1)
    assert stays.text == "key 3: 1 + 5.96046e-08 stays 1"
    assert float(hard.exact) == pytest.approx(1 - 2 * math.exp(-18) - math.exp(-17), rel=1e-15)
    assert "the others add up to 5.96046e-08" in hard.text
    assert kinds(found, 2) == {("underflow", "exponential"): 1, ("hard", "weight"): 1}
    assert "the other one has 0" in found.of_kind("hard")[0].text


def test_the_exact_weight_of_what_vanishes_in_the_division():
    """In e5m2 e^-10 is 3 * 2^-16, and an eighth of that lies below half of the least value, 2^-16."""
    model = plain("e5m2", {"a": (1.0, 0.0), "b": (1.0, -10.0)})
    found = trace(model, "aaaaaaab", 0, 0)
    (event,) = found.of_kind("underflow", "weight")
    exact = math.exp(-10) / (8 + math.exp(-10))
    assert (event.query, event.key, event.count, event.realized) == (9, 8, 1, 0)
    assert float(event.exact) == pytest.approx(exact, rel=1e-14)
    assert event.text == "key 8: 4.57764e-05 / 8 = 5.72205e-06 becomes 0; the exact weight is 5.67496e-06"


def test_a_score_beyond_range():
    """fp16: 60000 * 2 is inf; inf - inf is NaN, and so is every weight.  e4m3 goes to NaN at once."""
    found = trace(plain("fp16", {"a": (1.0, 2.0)}, query=(60000.0,)), "a", 0, 0)
    assert kinds(found, 1) == {}
    assert kinds(found, 2) == {("overflow", "score"): 1, ("nan", "difference"): 1}
    over, broken = (event for event in found.events if event.query == 2)
    assert (over.exact, over.realized, over.coordinate) == (120000, INF, 0)
    assert over.text == "key 1, coordinate 0: 60000 * 2 = 120000, beyond 65504, becomes inf"
    assert is_nan(broken.realized)
    assert broken.text == "key 1: inf - inf is NaN"
    row = found.rows[2]
    assert (row.target, row.greatest, row.exact_target) == (1, INF, 1)
    assert all(is_nan(weight) for weight in row.weights[1:])
    assert is_nan(row.weight_sum)
    assert row.worst is None
    found = trace(plain("e4m3", {"a": (1.0, 20.0)}, query=(28.0,)), "a", 0, 0)
    assert kinds(found, 2) == {("overflow", "score"): 1, ("nan", "score"): 1}
    assert found.of_kind("nan")[0].text == "key 1, coordinate 0: 28 * 20 is beyond range, NaN in e4m3"
    assert (found.rows[2].target, found.rows[2].exact_target, found.rows[2].ties) == (None, 1, 0)
    assert is_nan(found.rows[2].greatest)
    assert trace(plain("e4m3:saturate", {"a": (1.0, 20.0)}, query=(28.0,)), "a", 0, 0).rows[2].scores[1] == 448


def test_a_difference_beyond_range():
    found = trace(plain("e4m3", {"a": (1.0, 256.0), "b": (1.0, -256.0)}), "ab", 0, 0)
    assert kinds(found, 3) == {
        ("overflow", "difference"): 1, ("nan", "difference"): 1, ("underflow", "exponential"): 1,
    }  # fmt: skip
    assert found.of_kind("nan")[0].text == "key 2: -256 - 256 is beyond range, NaN in e4m3"
    assert found.of_kind("overflow")[0].text == "key 2: -256 - 256 = -512, beyond -448, becomes nan"


def test_a_denominator_that_saturates():
    """A grid that counts to 6 and saturates there; e2m1 stays at 4, since 5 is halfway to 6."""
    counter = grid([0, "1/2", 1, 2, 3, 4, 5, 6], overflow="saturate")
    found = trace(plain(counter, {"a": (1.0, 0.0)}), "a" * 7, 0, 0)
    assert [row.denominator for row in found.rows] == [0, 1, 2, 3, 4, 5, 6, 6, 6]
    assert [(e.query, e.count) for e in found.of_kind("overflow", "denominator")] == [(7, 1), (8, 2)]
    assert found.of_kind("overflow", "denominator")[0].text == "key 6: 6 + 1 = 7, beyond 6, becomes 6"
    assert found.of_kind("stagnation", "denominator") == ()
    nearest = trace(plain("e2m1", {"a": (1.0, 0.0)}), "a" * 6, 0, 0)
    assert [row.denominator for row in nearest.rows] == [0, 1, 2, 3, 4, 4, 4, 4]


def test_scores_that_tie_and_swap():
    """e4m3 has steps of 2 above 16: 16 + 1 + 1 stays 16 (18), while 18 - 1/2 is 18 (17.5)."""
    letters = {"a": (0.0, 16.0, 1.0, 1.0), "b": (0.0, 18.0, -0.5, 0.0), "c": (0.0, 16.0, 0.0, 0.0)}
    model = plain("e4m3", letters, query=(1.0, 1.0, 1.0), bos=(0.0, -16.0, 0.0, 0.0))
    found = trace(model, "abc", 0, 0)
    row = found.rows[4]
    assert row.scores == (-16, 16, 18, 16)
    assert row.exact_scores == (-16, 18, mpq(35, 2), 16)
    assert (row.target, row.exact_target) == (2, 1)
    events = {event.kind: event for event in found.events if event.query == 4 and event.stage == "score"}
    assert (events["target"].exact, events["target"].realized) == (mpq(1, 2), -2)
    assert events["target"].text == (
        "the greatest score is at key 2, without rounding at key 1: 16 - 18 realized, 0.5 exact"
    )
    assert (events["swap"].count, events["swap"].exact, events["swap"].realized, events["swap"].key) == (
        1,
        mpq(1, 2),
        -2,
        2,
    )
    assert (events["tie"].count, events["tie"].exact, events["tie"].realized, events["tie"].key) == (1, 2, 0, 3)
    assert "tie in the score: two different scores become equal" in str(found)


def test_absorption_and_the_output():
    """In e5m2 a value of 64 swallows the sum before it, and -64 after it leaves nothing."""
    model = plain("e5m2", {"a": (64.0, 0.0), "b": (-64.0, 0.0)}, bos=(1.0, 0.0))
    found = trace(model, "ab", 0, 0)
    assert [row.output for row in found.rows] == [(0,), (1,), (32,), (0,)]
    lost = found.of_kind("absorption", "output")
    assert [(event.query, event.key, event.coordinate) for event in lost] == [(2, 1, 0), (3, 1, 0)]
    assert lost[0].text == "key 1, coordinate 0: 0.5 + 32 becomes 32"
    assert float(found.rows[3].exact_output[0]) == pytest.approx(1 / 3)


def test_numbers_that_broke_before_the_head():
    model = random_model("fp16", 1)
    model = Transformer(
        model.alphabet, [[60000.0] * 4] * 2 + [[1.0] * 4] * 3, model.layers, model.classifier, model.precision
    )  # fmt: skip
    found = trace(model, "ab", 1, 0)
    assert {event.stage for event in found.events if event.kind == "nan"} <= {"input"}
    assert found.events[0].stage == "input"
    assert all(row.exact_target is None and row.exact_weights == () for row in found.rows)
    assert "before this head begins" in str(found)
    assert json.loads(json.dumps(found.to_json()))["rows"][1]["max_score_exact"] is None


@pytest.mark.parametrize(("name", "limit"), [("fp16", 2048), ("bf16", 256), ("e4m3", 16), ("e5m2", 8)])
def test_a_saturated_sum_of_ones_stagnates(name, limit):
    """The weights of a head with equal scores stay at 1 / 2048 in fp16, 1/256, 1/16, 1/8, and never vanish."""
    model = plain(name, {"a": (1.0, 0.0)})
    rows = [limit - 1, limit, limit + 1, limit + 40]
    found = trace(model, "a" * (limit + 60), 0, 0, rows=rows)
    assert [row.denominator for row in found.rows] == [limit - 1, limit, limit, limit]
    assert {weight for row in found.rows[1:] for weight in row.weights} == {mpq(1, limit)}
    assert [(event.query, event.key, event.count) for event in found.of_kind("stagnation", "denominator")] == [
        (limit + 1, limit, 1),
        (limit + 40, limit, 40),
    ]
    assert found.of_kind("stagnation")[0].text.startswith(f"key {limit}: {limit} + 1 stays {limit}")
    assert found.rows[3].weight_sum == 1 + mpq(40, limit)
    assert float(found.rows[3].exact_weights[7]) == 1 / (limit + 40)


@pytest.mark.parametrize("order", ["sequential", "pairwise"])
@pytest.mark.parametrize(("name", "scale"), [("fp16", 1.0), ("e4m3:saturate", 1.0), ("e5m2", 2.0), ("fp16", 3.0)])
def test_events_by_brute_force(name, scale, order):
    """The same counts as plain loops over elements give, for a random head."""
    model = random_model(name, 7, scale=scale, order=order)
    regime = model.precision.regime
    found = trace(model, "abcabbacbcaa", 1, 1)
    streams = activations(model, "abcabbacbcaa").heads[1]
    for row in found.rows:
        i, told = row.query, kinds(found, row.query)
        np.testing.assert_array_equal([float(x) for x in row.output], streams.attended[1][i])
        if any(is_nan(weight) for weight in row.weights):
            assert sum(kind == "nan" for kind, _ in told) == 1
            continue
        q = [mpq(x) for x in streams.queries[1][i].tolist()]
        exact = [sum((a * mpq(b) for a, b in zip(q, key, strict=True)), mpq(0)) for key in streams.keys[1][:i].tolist()]
        assert row.exact_scores == tuple(exact)
        assert float(sum(map(mpq, row.exact_weights))) == (1.0 if i else 0.0)
        pairs = list(combinations(range(i), 2))
        order_of = [((exact[a] > exact[b]) - (exact[a] < exact[b]), (row.scores[a] > row.scores[b]) - (row.scores[a] < row.scores[b])) for a, b in pairs]  # fmt: skip
        assert told.get(("tie", "score"), 0) == sum(was != 0 and now == 0 for was, now in order_of)
        assert told.get(("swap", "score"), 0) == sum(was * now < 0 for was, now in order_of)
        assert (("target", "score") in told) == (i > 0 and row.target != exact.index(max(exact)))
        assert told.get(("underflow", "exponential"), 0) == sum(e == 0 for e in row.exponentials)
        gone = sum(w == 0 and e != 0 for w, e in zip(row.weights, row.exponentials, strict=True))
        assert told.get(("underflow", "weight"), 0) == gone
        if order == "sequential":
            total, still = mpq(0), 0
            for n, e in enumerate(row.exponentials):
                after = reference.add(regime.softmax, total, e) if n else e
                still += n > 0 and e != 0 and after == total
                total = after
            assert told.get(("stagnation", "denominator"), 0) == still
            assert row.denominator == total
        ones = [w for w in row.weights if w == 1]
        assert told.get(("hard", "weight"), 0) == (len(ones) if i > 1 else 0)


def test_one_row_is_that_row():
    model = random_model("e5m2", 3)
    whole, part = trace(model, "abcab", 0, 1), trace(model, "abcab", 0, 1, rows=[4, 2])
    assert [row.query for row in part.rows] == [4, 2]
    assert [row.to_json() for row in part.rows] == [whole.rows[n].to_json() for n in (4, 2)]
    assert sorted(map(str, part.events)) == sorted(str(event) for event in whole.events if event.query in (2, 4))


def test_a_causal_head_sees_its_own_position():
    found = trace(random_model("fp16", 4, mask="causal"), "", 0, 0)
    assert [row.keys for row in found.rows] == [1, 2]
    assert found.rows[0].weights == (1,)
    assert found.mask == "causal"


def test_the_empty_word_and_words_of_one_letter():
    model = random_model("fp16", 5)
    assert [(row.query, row.keys) for row in trace(model, "", 0, 0).rows] == [(0, 0), (1, 1)]
    found = trace(model, "b", 1, 1)
    assert found.symbols == ("BOS", "b", "EOS")
    assert [row.weights for row in found.rows[:2]] == [(), (1,)]
    assert found.of_kind("hard") == tuple(e for e in found.of_kind("hard") if e.query == 2)  # one key is no choice
    named = trace(plain("fp16", {"left": (1.0, 0.0), "right": (0.0, 0.0)}), ["left", "right"], 0, 0)
    assert (named.word, named.symbols) == ("left right", ("BOS", "left", "right", "EOS"))


def test_exact_values_beyond_binary64():
    """fp128 has no kernels: exact numbers all the way; a weight of e^-5000 is no binary64 number."""
    found = trace(plain("fp128", {"a": (1.0, -5000.0)}), "a", 0, 0)
    shown = json.loads(json.dumps(found.to_json()))["rows"][2]
    assert shown["weights_exact"][1].startswith("3.3710") or "e-" in shown["weights_exact"][1]
    assert found.rows[2].weights[1] > 0
    assert "e-2172" in shown["weights_exact"][1]
    assert "e-2172" in str(found)


def test_infinities_and_nans_beyond_binary64():
    """What fp128 stores is mpfr numbers: infinities, NaN and zeros among them, of queries, keys and values."""
    huge = mpq(10) ** 3000
    model = plain("fp128", {"a": (huge, huge), "b": (-0.0, huge)}, query=(huge,))
    found = trace(rounded(model), "aab", 0, 0)
    assert [row.scores for row in found.rows[2:]] == [(0, INF), (0, INF, INF), (0, INF, INF, INF)]
    assert kinds(found, 4) == {("overflow", "score"): 3, ("nan", "difference"): 3}
    assert math.isnan(activations(rounded(model), "aab").value)
    # and where they are what a head begins with
    again = Transformer(("a", "b"), model.embedding, (*model.layers, *model.layers), model.classifier, model.precision)
    assert ("nan", "input") in kinds(trace(rounded(again), "aab", 1, 0), 3)


def test_json():
    found = trace(random_model("e4m3", 6, scale=2.0), "abca", 1, 0)
    shown = json.loads(json.dumps(found.to_json(), sort_keys=True, allow_nan=False))
    assert {
        "word",
        "symbols",
        "length",
        "precision",
        "mask",
        "layer",
        "head",
        "layers",
        "heads",
        "bits",
        "rows",
        "events",
    } == set(shown)
    assert (shown["layer"], shown["head"], shown["layers"], shown["heads"], shown["length"]) == (1, 0, 2, 2, 6)
    assert [row["query"] for row in shown["rows"]] == list(range(6))
    assert all(len(row["weights"]) == row["keys"] for row in shown["rows"])
    for event in shown["events"]:
        assert {"kind", "stage", "query", "key", "coordinate", "count", "exact", "realized", "text"} == set(event)


def test_layers_heads_and_rows_that_there_are_not():
    model = random_model("fp16", 8)
    for layer, head, message in (
        (2, 0, "layer: cannot take 2; it should be between 0 and 1: this model has 2 layers"),
        (-1, 0, "layer: cannot take -1"),
        (0, 2, "head: cannot take 2; it should be between 0 and 1: layer 0 has 2 heads"),
        (True, 0, "layer: cannot take True"),
    ):
        with pytest.raises(InputError, match=message):
            trace(model, "a", layer, head)
    with pytest.raises(InputError, match="the word has 3 positions, BOS and EOS among them"):
        trace(model, "a", 0, 0, rows=[3])
    with pytest.raises(InputError, match="letter 2 of the word"):
        trace(model, "ax", 0, 0)
    bare = Transformer(("a",), np.zeros((3, 1)), (), Linear([[1.0]]), Precision.of("fp16"))
    with pytest.raises(InputError, match="this model has no layers"):
        trace(bare, "a", 0, 0)
    mixed = Transformer(model.alphabet, model.embedding, (Layer(), *model.layers), model.classifier, model.precision)
    with pytest.raises(InputError, match="one with attention: 1, 2"):
        trace(mixed, "a", 0, 0)


def test_a_word_that_is_too_long_says_so_and_its_rows_do_not(monkeypatch):
    model = random_model("fp16", 9)
    monkeypatch.setattr(compute, "MOST", 4000)
    with pytest.raises(UnsupportedError, match=r"a word of 102 positions .* at most 4,000 .*choose fewer rows"):
        trace(model, "a" * 100, 0, 0)
    assert trace(model, "a" * 100, 0, 0, rows=[100]).rows[0].keys == 100


def test_the_text_is_a_table():
    text = str(trace(random_model("e5m2", 2), "abcabcab" * 4, 1, 0))
    assert 'Layer 1 of 2, head 0 of 2 (counted from 0), on "abcabcab' in text
    assert "\n  ...\n" in text  # of many rows some are left out
    assert text.count("\n  3 ") == 1
    one = str(trace(random_model("e5m2", 2), "abcabcab" * 9, 1, 0, rows=[60]))
    assert "keys of smaller weight are left out" in one
    assert "exponential" in one
    long = str(trace(random_model("e5m2", 2), "abc" * 40, 1, 0, rows=[7]))
    assert '..." (122 positions)' in long
