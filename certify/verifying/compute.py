"""`verify`: whether a model recognizes a language."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from certify.languages.dfa import Dfa
from certify.languages.formula import Formula
from certify.verifying.extraction import Extraction, extract
from certify.verifying.limits import Limits
from certify.verifying.positions import known_positions
from certify.verifying.running import Comparison
from certify.verifying.target import first_difference, target_of
from certify.verifying.verification import Verification
from certify.verifying.words import adversarial_words, random_words
from fpsim.errors import InputError
from fpsim.number import parse_count
from fpsim.transformer.model import Transformer

if TYPE_CHECKING:
    from automata.fa.dfa import DFA

__all__ = ["MAX_WORDS", "verify"]

MAX_WORDS = 200_000
_LONGEST = 10_000
_MOST_RANDOM = 1_000_000

Progress = Callable[[str, int], None]


def verify(
    model: Transformer | str | Path,
    formula: Formula | str | None = None,
    *,
    dfa: Dfa | DFA | str | Path | None = None,
    length: int,
    random: int = 0,
    seed: int = 0,
    longest: int | None = None,
    all_lengths: bool = True,
    max_words: int = MAX_WORDS,
    max_states: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Whether the model, or that of the file of this name, accepts the words of the language and no others.

    The language is that of a formula of past temporal logic, evaluated at EOS, or of a DFA.  Three things are done, and
    they end with the first difference:

    * Every word of up to `length` letters is run, shortest first, in all at most `max_words`.
    * With `all_lengths` the model's own automaton is extracted (`certify.verifying.extraction`) with at most
      `max_states` states in between, and compared with that of the language: a proof for every length, or a shortest
      word on which they differ, which is then run.
    * `random` more words of up to `longest` letters (10,000, or what the model's positions reach) are run: half of them
      random, by `seed`, half of those on which sums stagnate or which nearly are on the other side.

    progress: called with what is done and how much of it.  Ctrl-C ends the work and keeps what was found.  Raises
    `InputError` for a file that is no model, letters that are not the model's, and numbers out of range.

    >>> from certify.counterexamples import flip_flop
    >>> found = verify(flip_flop().model, "(!a & !b) S a", length=3)
    >>> found.agree, found.exhaustive_to, found.words, found.all_lengths
    (True, 3, 40, True)
    """
    length = parse_count(length, "length", least=0, most=1_000_000)
    random = parse_count(random, "random", least=0, most=_MOST_RANDOM)
    max_words = parse_count(max_words, "max_words", least=0)
    loaded = _loaded(model)
    target = target_of(loaded.alphabet, formula, dfa)
    longest = _longest(loaded, length, longest)
    report = _reporter(progress)
    comparison = Comparison(loaded, target, threads, report("words"))
    extraction: Extraction | None = None
    tried, interrupted = 0, False
    try:
        comparison.run_all(length, max_words)
        if all_lengths and comparison.difference is None:
            limits = Limits() if max_states is None else Limits(states=parse_count(max_states, "max_states"))
            extraction = extract(loaded, limits, report("states"))
            _compare_automata(comparison, extraction, target)
        if random and comparison.difference is None:
            chosen = Random(seed)
            shortest = comparison.exhaustive_to + 1
            if shortest <= longest:
                precision = loaded.precision.regime.softmax.precision or 11
                words = adversarial_words(target, random // 2, shortest, longest, min(precision, 12), chosen)
                words += random_words(len(loaded.alphabet), random - len(words), shortest, longest, chosen)
                tried = max(map(len, words))
                comparison.run_some(words)
    except KeyboardInterrupt:
        interrupted = True
    word = comparison.difference
    return Verification(
        dfa=target,
        length=length,
        exhaustive_to=comparison.exhaustive_to,
        words=comparison.words,
        longest=max(comparison.exhaustive_to, tried, len(word or ())),
        extraction=extraction,
        counterexample=word,
        accepted=None if word is None else target.after(target.initial, word) not in target.accepting,
        precision=str(loaded.precision),
        interrupted=interrupted,
    )


def _loaded(model: Any) -> Transformer:
    if isinstance(model, Transformer):
        return model
    if not isinstance(model, str | Path):
        raise InputError("model", model, "a Transformer or the name of a file")
    from fpsim.transformer.files.model_file import load_model

    return load_model(model)


def _longest(model: Transformer, length: int, longest: int | None) -> int:
    if longest is not None:
        return parse_count(longest, "longest", least=1, most=1_000_000)
    known = known_positions(model)
    return max(length, _LONGEST) if known is None else min(_LONGEST, known - 2)  # BOS and EOS take one each


def _compare_automata(comparison: Comparison, extraction: Extraction, target: Dfa) -> None:
    """A word on which the automata differ is a counterexample, once the model has been run on it."""
    if extraction.dfa is None or extraction.dfa == target:
        return
    word = first_difference(extraction.dfa, target)
    assert word is not None  # minimal DFAs, numbered alike, that are not equal
    comparison.run_some([word])
    if comparison.difference is None:
        raise AssertionError(f"the extracted automaton and the model differ on {word}")


def _reporter(progress: Progress | None) -> Callable[[str], Callable[[int], None] | None]:
    def of(what: str) -> Callable[[int], None] | None:
        return None if progress is None else lambda done: progress(what, done)

    return of
