"""The pictures of a language: the data behind them beside the DFA, and what is drawn of it."""

from __future__ import annotations

import json
from itertools import product

import pytest

from certify.languages.compute import classify
from certify.languages.dfa import Dfa
from certify.plots.figure_file import save_figure
from certify.plots.language_data import language_diagram
from certify.plots.language_figure import language_figure
from fpsim.errors import UnsupportedError

matplotlib = pytest.importorskip("matplotlib")


@pytest.mark.parametrize("regex", ["(ab)*", "(aabb)*", "a.*", "(aab|b)*", "(..)*", ".*ab.*|(...)*"])
def test_arrows_are_words(regex):
    found = classify(regex, alphabet="ab")
    shown = language_diagram(found)
    for k, arrows in ((1, shown.arrows), (found.k, shown.power_arrows)):
        if arrows is None:
            assert found.k is None
            continue
        expected = {}
        for word in product("ab", repeat=k):
            for q in range(len(found.dfa)):
                after = found.dfa.after(q, found.dfa.word(word))
                expected.setdefault((q, after), []).append("".join(word))
        assert {pair: (len(words), tuple(sorted(words)[:3])) for pair, words in expected.items()} == arrows
    json.dumps(shown.to_json())


@pytest.mark.parametrize("regex", ["(ab)*", "(aabb)*", "a.*", "(aab|b)*", ".*ab.*|(...)*", "a*b(aa|b)*a"])
def test_the_hasse_diagram_is_the_order(regex):
    """Its transitive closure is: one group reaches another; and no cover follows from others."""
    found = classify(regex, alphabet="ab")
    shown = language_diagram(found)
    arrows = shown.arrows if shown.power_arrows is None else shown.power_arrows
    states = range(len(found.dfa))
    reach = {(p, q) for p, q in arrows} | {(q, q) for q in states}
    for middle, p, q in product(states, repeat=3):
        if (p, middle) in reach and (middle, q) in reach:
            reach.add((p, q))
    of = {q: n for n, group in enumerate(shown.groups) for q in group}
    assert all((of[p] == of[q]) == ((p, q) in reach and (q, p) in reach) for p, q in product(states, repeat=2))
    order = {(of[p], of[q]) for p, q in reach if of[p] != of[q]}
    between = {(p, q) for p, q in order if any((p, r) in order and (r, q) in order for r in range(len(shown.groups)))}
    assert set(shown.covers) == order - between
    assert all(shown.ranks[p] < shown.ranks[q] for p, q in order)
    assert (shown.power_arrows is not None) == all(len(group) == 1 for group in shown.groups) or found.k is None


def test_the_figure(tmp_path):
    shown = language_diagram(classify("(ab)*"))
    figure = language_figure(shown)
    assert [axes.get_title() for axes in figure.axes] == [
        "minimal DFA: 3 states", "its k-automaton, k = 2", "partial order of the states, k letters at a time",
    ]  # fmt: skip
    texts = [{text.get_text() for text in axes.texts} for axes in figure.axes]
    assert texts[0] == {"0", "1", "2", "a", "b", "Σ"}
    assert texts[1] == {"0", "1", "2", "ab", "ba", "aa, ab, bb", "aa, ba, bb", "Σ^2"}
    assert texts[2] == {"0", "1", "2"}
    assert len(figure.axes[2].lines) == 2
    for ending in ("png", "svg", "pdf"):
        save_figure(figure, tmp_path / f"language.{ending}")
        assert (tmp_path / f"language.{ending}").stat().st_size > 1000


def test_two_panels_and_components():
    inside, outside = (language_figure(language_diagram(classify(text, alphabet="ab"))) for text in ("a.*", ".*a"))
    assert len(inside.axes) == len(outside.axes) == 2
    assert outside.axes[1].get_title() == "order of components: not one of states for any k"
    assert [text.get_text() for text in outside.axes[1].texts] == ["0, 1"]
    single = language_figure(language_diagram(classify(".*", alphabet="a$")))
    assert single.axes[0].get_title() == "minimal DFA: 1 state"


def test_states_stand_apart():
    for regex in ("(aabb)*", "((a|b)(a|b)(a|b)a)*", "a*b(aa|b)*a(..)*", "(aab|b)*"):
        figure = language_figure(language_diagram(classify(regex, alphabet="ab")))
        circles = {patch.center for patch in figure.axes[0].patches if hasattr(patch, "center")}
        places = sorted(circles)
        assert all(abs(x - u) + abs(y - v) > 0.5 for n, (x, y) in enumerate(places) for u, v in places[:n])


def test_too_many_states():
    n = 41
    ring = Dfa(("a",), 0, frozenset({0}), tuple(((q + 1) % n,) for q in range(n)))
    with pytest.raises(UnsupportedError, match="at most 40 are drawn"):
        language_diagram(classify(dfa=ring))


def test_long_letters_and_long_k():
    ring = Dfa(("open", "close"), 0, frozenset({0}), tuple(((q + 1) % 7, (q + 1) % 7) for q in range(7)))
    shown = language_diagram(classify(dfa=ring))
    assert shown.k == 7
    assert shown.power_arrows[0, 0][0] == 2**7
    assert shown.power_arrows[0, 0][1][0] == " ".join(["close"] * 7)
    assert "Σ^7" in {text.get_text() for text in language_figure(shown).axes[1].texts}
