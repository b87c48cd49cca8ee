"""Tables 4 and 5 as data: what the text of the paper says of them (§3.5, §4.4), and what any such table must fulfil."""

from __future__ import annotations

import math

import pytest

from certify.reproducing.trained_lengths import paper_table
from fpsim.errors import InputError

ROWS = [row for number in (4, 5) for row in paper_table(number)]
BASES = ["1e-12", "1e-8", "1e-4", "1", "1e4", "1e8", "1e12"]


def means(language, encoding):
    return [row.N_star_mean for row in ROWS if (row.language, row.encoding) == (language, encoding)]


def test_every_row_is_there():
    expected = [(4, "(aa)*", "RoPE_NP"), (4, "(aa)*", "SiPE_NP"), (4, "(ab)*", "RoPE_NP"), (4, "(ab)*", "SiPE_NP")]
    expected += [(5, language, "RoPE_NP") for language in ("Σ*a", "aΣ*", "Σ*abΣ*")]
    for table, language, encoding in expected:
        found = [row.base for row in ROWS if (row.table, row.language, row.encoding) == (table, language, encoding)]
        assert found == BASES
    assert [row.language for row in ROWS if row.encoding == "NoPE" and row.base is None] == ["Σ*a", "aΣ*", "Σ*abΣ*"]
    assert len(ROWS) == 7 * len(expected) + 3


def test_what_the_text_says_of_the_tables():
    ends_with_a, starts_with_a, has_ab = (means(each, "RoPE_NP") for each in ("Σ*a", "aΣ*", "Σ*abΣ*"))
    assert (min(ends_with_a), BASES[ends_with_a.index(min(ends_with_a))]) == (45.5, "1e4")
    assert (min(starts_with_a), BASES[starts_with_a.index(min(starts_with_a))]) == (146.9, "1e4")
    assert sum(mean > means("Σ*a", "NoPE")[0] for mean in ends_with_a) == 6
    assert means("aΣ*", "NoPE") == [470.5]
    assert max(starts_with_a) == 402.9
    assert means("Σ*abΣ*", "NoPE") == [92.9]
    assert (min(has_ab), max(has_ab)) == (46.1, 61.9)
    assert BASES[has_ab.index(46.1)] == "1e12"  # "on the combined P-Y language, 10^12 performs worse"
    assert all(row.N_star_max < 500 for row in ROWS if row.language in ("(aa)*", "(ab)*"))  # none is perfect


def test_what_numbers_of_15_runs_must_fulfil():
    for row in ROWS:
        assert row.accuracy_mean <= row.accuracy_max <= 1
        assert row.N_star_mean <= row.N_star_max
        assert row.N_star_max == 0 or row.N_star_max in range(41, 501)
        # Each run has between 0 and the largest, and one has the largest: the deviation of 15 such numbers (from the
        # mean, divided by 14 or 15, and with what rounding the table leaves open) is at most this.
        spread = row.N_star_mean * (row.N_star_max - row.N_star_mean) * 15 / 14
        assert row.N_star_std <= math.sqrt(max(spread, 0)) * 1.02 + 0.2, row
        assert (row.N_star_std == 0) == (row.N_star_mean == row.N_star_max)


def test_no_other_table():
    with pytest.raises(InputError, match="4 or 5"):
        paper_table(3)
