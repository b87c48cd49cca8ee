"""Languages as they are given: regular expressions, DFA files and automata, formulas; good ones and bad ones."""

import copy
import itertools
import json
import pickle
import random
import re
import time

import pytest

from certify.languages.compute import classify, language
from certify.languages.dfa import Dfa
from certify.languages.dfa_file import dfa_of_json, read_dfa
from certify.languages.formula import (
    FALSE,
    TRUE,
    Formula,
    both,
    either,
    letter,
    mod,
    negation,
    past,
    since,
    subformulas,
    yesterday,
)
from certify.languages.formula_dfa import dfa_of_formula
from certify.languages.formula_text import formula_text, parse_formula, text_length
from certify.languages.formula_truth import accepts, holds
from certify.languages.regex_dfa import dfa_of_regex
from fpsim.errors import InputError, UnsupportedError


def words(alphabet, longest):
    return ["".join(word) for n in range(longest + 1) for word in itertools.product(alphabet, repeat=n)]


# -- regular expressions --------------------------------------------------------------------------------------------


class Naive:
    """An expression by its meaning: which words up to a length it has, by structural recursion over a random tree."""

    def __init__(self, rng, alphabet, longest):
        self.rng, self.alphabet, self.longest = rng, alphabet, longest
        self.all = frozenset(words(alphabet, longest))

    def make(self, depth):
        """(text, rank of its outermost operator, set of words)."""
        rng = self.rng
        kind = rng.randrange(10) if depth else rng.randrange(4)
        if kind == 0:
            a = rng.choice(self.alphabet)
            return a, 6, frozenset({a})
        if kind == 1:
            return ".", 6, frozenset(self.alphabet)
        if kind == 2:
            return "@", 6, frozenset({""})
        if kind == 3:
            chosen = "".join(rng.sample(self.alphabet, rng.randint(1, len(self.alphabet) - 1)))
            if rng.random() < 0.5:
                return f"[{chosen}]", 6, frozenset(chosen)
            return f"[^{chosen}]", 6, frozenset(self.alphabet) - frozenset(chosen)
        text, rank, found = self.make(depth - 1)
        if kind == 4:
            operator = rng.choice("*+?")
            return self.wrap(text, rank, 5) + operator, 5, self.repeated(found, operator)
        if kind == 5:
            return "!" + self.wrap(text, rank, 4), 4, self.all - found
        other, other_rank, others = self.make(depth - 1)
        if kind in (6, 7):
            joined = frozenset(u + v for u in found for v in others if len(u + v) <= self.longest)
            return self.wrap(text, rank, 3) + self.wrap(other, other_rank, 4), 3, joined
        if kind == 8:
            return self.wrap(text, rank, 2) + "&" + self.wrap(other, other_rank, 3), 2, found & others
        return self.wrap(text, rank, 1) + "|" + self.wrap(other, other_rank, 2), 1, found | others

    @staticmethod
    def wrap(text, rank, least):
        return text if rank >= least else f"({text})"

    def repeated(self, found, operator):
        if operator == "?":
            return found | {""}
        star, new = {""}, {""}
        while new:
            new = {u + v for u in new for v in found if len(u + v) <= self.longest} - star
            star |= new
        return (
            frozenset(star)
            if operator == "*"
            else frozenset(u + v for u in star for v in found if len(u + v) <= self.longest)
        )


def test_expressions_against_their_meaning():
    """With no more parentheses than the precedences need."""
    rng = random.Random(1)
    for n in range(400):
        naive = Naive(rng, "ab" if n % 2 else "abc", 4)
        text, _, found = naive.make(4)
        dfa = dfa_of_regex(text, naive.alphabet)
        assert {word for word in naive.all if dfa.accepts(word)} == found, text


def test_precedences():
    for one, other in (
        ("!a*", "!(a*)"), ("!ab", "(!a)b"), ("a|b&b", "a|(b&b)"), ("ab|c", "(ab)|c"), ("ab*", "a(b*)"), ("a&bc", "a&(bc)"),
        ("!a&b", "(!a)&b"), ("a!b*", "a(!(b*))"), ("a***", "a*"), ("a+?", "a*"), ("(a+b)+", "a+b(a+b)*"), ("!!a", "a"),
    ):  # fmt: skip
        assert dfa_of_regex(one, "abc") == dfa_of_regex(other, "abc"), (one, other)


def test_the_alphabet_of_an_expression():
    assert dfa_of_regex("ba").alphabet == ("a", "b")
    assert dfa_of_regex("ba", "cab").alphabet == ("c", "a", "b")
    assert dfa_of_regex("é*", ["é", "x"]).accepts(["é", "é"])
    assert len(dfa_of_regex("1(0|1)*", "01")) == 3


BAD = [
    ("(ab", None, r"the \( at column 1 is not closed"),
    ("a(b(c)", None, r"the \( at column 2 is not closed"),
    ("ab)", None, r"the \) at column 3 closes nothing"),
    ("", None, "the empty word is @"),
    ("a||b", None, "column 3"),
    ("|a", None, "column 1"),
    ("a&", None, "something on both sides"),
    ("*a", None, r"an expression before \*"),
    ("a!", None, "it ends"),
    ("a b", None, "column 2: ' '"),
    ("a\\*", None, "nothing is escaped"),
    ("[]", "ab", "a set of letters"),
    ("[^]", "ab", "a set of letters"),
    ("a]", None, "a set of letters"),
    ("a^b", None, "a set of letters"),
    ("[a-c]", None, "there are no ranges"),
    ("[ab", None, r"the \[ at column 1 is not closed"),
    ("ac", "ab", "the letter 'c' at column 2; it should be one of the alphabet, a b"),
    ("@", None, "--alphabet"),
    (".*", None, "--alphabet"),
    ("a", "", "at least one letter"),
    ("a", "aa", "given twice"),
    ("a", "a b", "without blanks"),
    ("a", 5, "a text of letters"),
    ("a", ["a", 3], "printable characters"),
    ("a", ["a", ""], "printable characters"),
    ("a", [f"a{n}" for n in range(1001)], "at most 1000"),
    ("!" * 200 + "a", None, "nested more than 100"),
    ("(a" * 150 + ")*" * 150, None, "nested more than 100"),
    ("a" * 20_001, None, "at most 20000"),
    (5, None, "an expression"),
]


@pytest.mark.parametrize(("text", "alphabet", "right"), BAD, ids=[str(text)[:12] for text, _, _ in BAD])
def test_bad_expressions(text, alphabet, right):
    with pytest.raises(InputError, match=right):
        dfa_of_regex(text, alphabet)


def test_many_parentheses_are_no_depth():
    assert dfa_of_regex("(" * 9000 + "a" + ")" * 9000) == dfa_of_regex("a")


BOMBS = {
    ".*a" + "." * 30: "more than 100000 states",
    "(" + "a?" * 5000 + ")b": "steps to build",
    "&".join(f"({'a' * p})*" for p in (101, 103, 107, 109)): "more than is built",
    "!(.*a" + "." * 25 + ")": "more than 100000 states",
}


def test_products_and_large_alphabets_are_unsupported_and_no_faulty_input():
    """An expression or a formula is right whatever the size of its DFA."""
    lengths = "&".join(f"({'.' * p})*" for p in (2, 3, 5, 7, 11, 13))  # 30030 states
    assert len(dfa_of_regex(lengths, "a")) == 30030
    with pytest.raises(UnsupportedError, match=r"an intersection of DFAs with .* is more than is built"):
        dfa_of_regex(f"{lengths}&({'.' * 17})*", "a")
    many = [f"a{n}" for n in range(1000)]
    with pytest.raises(UnsupportedError, match="steps to build"):  # it would copy 20 million transitions
        dfa_of_regex("." * 20_000, many)
    with pytest.raises(UnsupportedError, match="109230 states over 1 letter, more"):
        dfa_of_regex("&".join(f"({'.' * p})*" for p in (330, 331)), "a")
    with pytest.raises(UnsupportedError, match="more than 2000000 transitions"):
        dfa_of_formula(parse_formula("MOD(0,2001)"), many)


@pytest.mark.parametrize("text", BOMBS, ids=[text[:12] for text in BOMBS])
def test_expressions_with_too_large_automata_are_refused_in_bounded_time(text):
    begin = time.process_time()
    with pytest.raises(UnsupportedError, match=BOMBS[text]):
        dfa_of_regex(text, "ab")
    assert time.process_time() - begin < 30


# -- automata -------------------------------------------------------------------------------------------------------

EVEN = {"alphabet": ["a", "b"], "states": 2, "initial": 0, "accepting": [0], "delta": [[1, 0], [0, 1]]}


def test_dfa_files(tmp_path):
    path = tmp_path / "even.json"
    path.write_text(json.dumps(EVEN))
    assert read_dfa(path) == Dfa(("a", "b"), 0, frozenset({0}), ((1, 0), (0, 1)))
    assert classify(dfa=str(path)).classes == classify("(b*ab*a)*b*").classes
    assert language(dfa=dfa_of_json(EVEN | {"alphabet": ["push", "pop"]})).alphabet == ("push", "pop")


@pytest.mark.parametrize(
    ("change", "right"),
    [
        ({"delta": [[1, 0], [0]]}, r"delta\[1\].*complete"),
        ({"delta": [[1, 0], [0, None]]}, r"delta\[1\].*a state"),
        ({"delta": [[1, 0]]}, "one list for each of the 2 states"),
        ({"delta": [[[0, 1], 0], [0, 1]]}, r"delta\[0\].*deterministic"),
        ({"delta": [[1, 0], "ab"]}, r"delta\[1\].*complete"),
        ({"delta": [[1, 2], [0, 1]]}, r"delta\[0\]: cannot take 2.*0 to 1"),
        ({"delta": [[1, -1], [0, 1]]}, "cannot take -1"),
        ({"delta": [[1, 1.5], [0, 1]]}, "cannot take 3/2"),
        ({"delta": [[True, 0], [0, 1]]}, "cannot take True"),
        ({"delta": {}}, "a list"),
        ({"initial": 2}, "initial: cannot take 2"),
        ({"initial": "q"}, "initial"),
        ({"accepting": [0, 5]}, "accepting: cannot take 5"),
        ({"accepting": [0, 0]}, "different states"),
        ({"accepting": ["0"]}, "integers from 0 to 1"),
        ({"accepting": 0}, "a list"),
        ({"alphabet": []}, "at least one letter"),
        ({"alphabet": ["a", "a"]}, "given twice"),
        ({"alphabet": ["a", 1]}, "printable"),
        ({"alphabet": "ab"}, "a list"),
        ({"states": 3}, "one list for each of the 3 states"),
        ({"states": 10**9}, "from 1 to 100000"),
        ({"states": 0}, "from 1 to 100000"),
        ({"states": "2"}, "an integer"),
        ({"states": ...}, "without states"),
        ({"note": 1}, "the key 'note'"),
    ],
)  # fmt: skip
def test_bad_dfa_files(change, right, tmp_path):
    thing = {key: value for key, value in (EVEN | change).items() if value is not ...}
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(thing))
    with pytest.raises(InputError, match=right):
        classify(dfa=path)


@pytest.mark.parametrize(
    "text", ["", "[1]", "null", '{"states":1,"states":2}', '{"states":NaN}', "[" * 100_000, "(ab)*"]
)
def test_files_that_hold_no_dfa(text, tmp_path):
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(InputError):
        classify(dfa=path)


def test_files_that_cannot_be_read(tmp_path):
    for path in (tmp_path / "missing.json", tmp_path):
        with pytest.raises(InputError, match="dfa"):
            classify(dfa=path)


def test_automata_of_automata_lib():
    from automata.fa.dfa import DFA

    partial = DFA(
        states={"x", "y"},
        input_symbols={"a", "b"},
        transitions={"x": {"a": "y"}, "y": {"b": "x"}},
        initial_state="x",
        final_states={"x"},
        allow_partial=True,
    )
    assert language(dfa=partial) == dfa_of_regex("(ab)*")
    rng = random.Random(4)
    for _ in range(100):
        n = rng.randint(1, 8)
        delta = tuple((rng.randrange(n), rng.randrange(n)) for _ in range(n))
        dfa = Dfa(("a", "b"), rng.randrange(n), frozenset(q for q in range(n) if rng.random() < 0.5), delta)
        small = dfa.minimal()
        assert Dfa.of_automata_lib(dfa.to_automata_lib()).minimal() == small
        assert small.minimal() == small
        assert len(small) <= n
        for word in words("ab", 5):
            assert small.accepts(word) == dfa.accepts(word)
            assert dfa.to_automata_lib().accepts_input(word) == dfa.accepts(word)


def test_the_language_is_given_once():
    for given in ({}, {"regex": "a", "ltl": "a"}, {"regex": "a", "dfa": "x", "ltl": "a"}):
        with pytest.raises(InputError, match="given once"):
            classify(**given)
    with pytest.raises(InputError, match="a DFA has its own"):
        classify(dfa=dfa_of_json(EVEN), alphabet="ab")
    with pytest.raises(InputError, match="dfa"):
        classify(dfa=5)
    for max_monoid in (0, 10**6 + 1, "5", True):
        with pytest.raises(InputError, match="max_monoid"):
            classify("a", max_monoid=max_monoid)
    with pytest.raises(InputError, match="letter: cannot take c"):
        dfa_of_regex("ab").accepts("ac")


# -- formulas -------------------------------------------------------------------------------------------------------


def random_formula(rng, depth, alphabet="ab"):
    kind = rng.randrange(10) if depth else rng.randrange(3)
    if kind == 0:
        return rng.choice((TRUE, FALSE))
    if kind == 1:
        return letter(rng.choice(alphabet))
    if kind == 2:
        m = rng.randint(1, 3)
        return mod(rng.randrange(m), m)
    parts = [random_formula(rng, depth - 1, alphabet) for _ in range(rng.randint(2, 3))]
    if kind in (3, 4):
        return past(parts[0])
    if kind == 5:
        return yesterday(parts[0], rng.randint(1, 3))
    if kind == 6:
        return since(parts[0], parts[1])
    if kind == 7:
        return Formula("not", (parts[0],))
    return Formula("and" if kind == 8 else "or", tuple(parts))


def test_formulas_print_and_parse_back():
    rng = random.Random(1)
    for _ in range(1500):
        formula = random_formula(rng, 4, ["a", "P", "true", "'", '"', "->", "MOD", "0"])
        text = formula_text(formula)
        assert parse_formula(text) is formula
        assert text_length(formula) == len(text)
        assert parse_formula(re.sub(r" (?![a'\"0])", "", text)) is formula or "'" in text or '"' in text


def test_a_formula_and_its_dfa_accept_the_same_words():
    rng = random.Random(2)
    for _ in range(250):
        formula = random_formula(rng, 4)
        dfa = dfa_of_formula(formula, "ab")
        assert dfa.minimal() == dfa
        for word in words("ab", 5):
            assert dfa.accepts(word) == accepts(formula, word), (str(formula), word)


def test_the_meaning_of_each_operator():
    """At the positions of abba, and after it: 1, .., 5."""
    for text, true_at in (
        ("a", [1, 4]), ("true", [1, 2, 3, 4, 5]), ("false", []), ("MOD(1,2)", [1, 3, 5]), ("MOD(0,1)", [1, 2, 3, 4, 5]),
        ("P a", [2, 3, 4, 5]), ("P true", [2, 3, 4, 5]), ("Y a", [2, 5]), ("Y true", [2, 3, 4, 5]), ("Y^2 b", [4, 5]), ("Y^4 a", [5]),
        ("Y^5 true", []), ("b S a", [2, 3, 4, 5]), ("a S b", [3, 4, 5]), ("false S b", [3, 4]), ("!a & !b", [5]), ("a -> P b", [2, 3, 4, 5]),
        ("P(a & !P true)", [2, 3, 4, 5]), ("a | MOD(0,2) & b", [1, 2, 4]),
    ):  # fmt: skip
        formula = parse_formula(text)
        assert [i for i in range(1, 6) if holds(formula, "abba", i)] == true_at, text


def test_known_formulas():
    for text, regex, alphabet in (
        ("MOD(1,2)", "(aa)*", "a"), ("P(a & !P true)", "a.*", "ab"), ("Y a", ".*a", "ab"), ("P(b & Y a)", ".*ab.*", "abc"),
        ("MOD(1,2) & !P((MOD(1,2) & !a) | (MOD(0,2) & !b))", "(ab)*", "ab"), ("true", ".*", "a"), ("false", "!(.*)", "ab"),
        ("!P b & P a", "a+", "ab"), ("b S a", ".*ab*", "ab"), ("Y^3 a", ".*a..", "ab"), ("!P true", "@", "ab"),
    ):  # fmt: skip
        assert dfa_of_formula(parse_formula(text), alphabet) == dfa_of_regex(regex, alphabet), text
        assert classify(ltl=text, alphabet=alphabet).classes == classify(regex, alphabet=alphabet).classes


BAD_FORMULAS = [
    ("F a", "F looks at the future"),
    ("a U b", "U looks at the future"),
    ("G(a -> X b)", "G looks at the future"),
    ("P(a & X b)", "column 7: 'X'.*looks at the future"),
    ("MOD(1,0)", "a modulus m of at least 1"),
    ("MOD(2,2)", "a residue r from 0 to m - 1"),
    ("MOD(-1,2)", "0 <= r < m"),
    ("MOD(1)", "0 <= r < m"),
    ("MOD(a,2)", "0 <= r < m"),
    ("MOD 1", "formula"),
    ("Y^0 a", "k of at least 1"),
    ("Y^ a", "column 4"),
    ("Y^-1 a", "column 3"),
    ("a & b S c", "with parentheses where S meets"),
    ("a S b S c", "with parentheses where S meets"),
    ("a S b & c", "formula"),
    ("(a", "balanced"),
    ("a)", "balanced"),
    ("()", "balanced"),
    ("", "formula"),
    (" ", "formula"),
    ("a b", "between two formulas stands"),
    ("a |", "it ends"),
    ("-> a", "column 1"),
    ("a ^ b", "column 3"),
    ("''", "column 1"),
    ("a" * 100_001, "at most 100000"),
    (7, "formula"),
]


@pytest.mark.parametrize(("text", "right"), BAD_FORMULAS, ids=[str(text)[:12] for text, _ in BAD_FORMULAS])
def test_bad_formulas(text, right):
    with pytest.raises(InputError, match=right):
        classify(ltl=text, alphabet="abc")


def test_letters_of_a_formula():
    with pytest.raises(InputError, match="the letter 'c'"):
        classify(ltl="P c", alphabet="ab")
    with pytest.raises(InputError, match="--alphabet"):
        classify(ltl="MOD(0,2)")
    assert language(ltl="P b | a").alphabet == ("a", "b")
    assert language(ltl="Y 'F'", alphabet="FG") == language(".*F", alphabet="FG")
    with pytest.raises(UnsupportedError, match="both kinds of quotes"):
        formula_text(letter("'\""))


def test_formulas_that_are_too_large():
    for text, right in (
        ("&".join(f"MOD(0,{p})" for p in (97, 89, 83)), "more than 100000 states"),
        ("Y^5000 a", "bits of memory"),
        ("Y^30 a", "more than 100000 states"),
        ("MOD(5,999999999999)", "more than 100000 states"),
    ):
        begin = time.process_time()
        with pytest.raises(UnsupportedError, match=right):
            classify(ltl=text, alphabet="ab")
        assert time.process_time() - begin < 20


def test_deep_formulas_are_no_trouble():
    formula = letter("a")
    for _ in range(5000):
        formula = past(both(formula, letter("b")))
    assert parse_formula(str(formula)) is formula
    assert len(subformulas(formula)) == 10_002
    doubled = letter("a")
    for _ in range(300):
        doubled = past(either(negation(doubled), since(doubled, letter("b"))))
    assert text_length(doubled) > 2**300
    assert len(subformulas(doubled)) < 1300
    assert "nodes" in repr(doubled)
    with pytest.raises(UnsupportedError, match="kept as a graph"):
        str(doubled)


def test_formulas_are_immutable_and_equal_when_they_are_the_same():
    formula = parse_formula("P(a & b) | !P(a & b)")
    assert copy.deepcopy(formula) is formula is pickle.loads(pickle.dumps(formula))
    assert formula.parts[0] is formula.parts[1].parts[0]
    with pytest.raises(AttributeError):
        formula.operator = "and"
    assert both() is TRUE
    assert either() is FALSE
    assert both(TRUE, letter("a"), letter("a")) is letter("a")
    assert both(FALSE, letter("a")) is FALSE
    assert negation(negation(formula)) is formula
    assert yesterday(yesterday(TRUE, 2), 3) is yesterday(TRUE, 5)
