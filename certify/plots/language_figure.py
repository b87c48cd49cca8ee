"""The picture of a language: minimal DFA, k-automaton, and the Hasse diagram of the order of its states.

matplotlib draws; the layout needs no other library, for the order gives it: states stand from left to right by the rank
of what can reach each other, and those of one rank above each other.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

from certify.plots.figure_file import INK, new_figure
from certify.plots.language_data import Arrows, LanguageDiagram, ordered_groups

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["language_figure"]

_RADIUS = 0.22
_WORDS = 9  # characters of words beside an arrow
_COMPONENT = "#E69F00"  # around states that reach each other

_Places: TypeAlias = "list[tuple[float, float]]"


def language_figure(diagram: LanguageDiagram) -> Figure:
    """Two or three panels: the DFA; the k-automaton, where there is one with k > 1; the Hasse diagram, upwards.

    A double circle accepts, an arrow from nowhere leads to the first state.  Raises `UnsupportedError` when matplotlib
    is not there.
    """
    figure = new_figure()
    powered = diagram.power_arrows is not None and diagram.k != 1
    panels = 3 if powered else 2
    places = _places(diagram)
    height = max(4.2, 0.9 * (max(y for _, y in places) - min(y for _, y in places) + 2))
    figure.set_size_inches(4.6 * panels, height)
    drawn = list(figure.subplots(1, panels))
    _draw_automaton(drawn[0], diagram, places, diagram.arrows, 1)
    if powered:
        assert diagram.power_arrows is not None
        assert diagram.k is not None
        _draw_automaton(drawn[1], diagram, places, diagram.power_arrows, diagram.k)
    _draw_order(drawn[-1], diagram)
    return figure


def _places(diagram: LanguageDiagram) -> _Places:
    """Where states stand: by the order of the DFA itself, whose components are not split."""
    groups, ranks = ordered_groups(diagram.arrows, len(diagram.dfa))
    columns: dict[int, list[tuple[int, ...]]] = {}
    for group, rank in zip(groups, ranks, strict=True):
        columns.setdefault(rank, []).append(group)
    places: dict[int, tuple[float, float]] = {}
    left = 0.0
    for rank in sorted(columns):
        sizes = [_ring(len(group)) for group in columns[rank]]
        width, total = max(sizes), sum(2 * size + 1.3 for size in sizes) - 1.3
        top = total / 2
        for group, size in zip(columns[rank], sizes, strict=True):
            x, y = left + width, top - size
            for n, q in enumerate(group):
                turn = math.pi - 2 * math.pi * n / len(group)
                places[q] = (x + size * math.cos(turn), y + size * math.sin(turn)) if size else (x, y)
            top -= 2 * size + 1.3
        left += 2 * width + 1.5
    return [places[q] for q in range(len(diagram.dfa))]


def _ring(states: int) -> float:
    """The radius of the ring on which so many states stand."""
    return 0.0 if states == 1 else max(0.65, 0.21 * states)


def _draw_automaton(axes: Axes, diagram: LanguageDiagram, places: _Places, arrows: Arrows, k: int) -> None:
    for (p, q), (count, words) in arrows.items():
        label = _label(count, words, diagram.dfa.alphabet, k)
        if p == q:
            _draw_loop(axes, places, p, label)
        else:
            _draw_arrow(axes, places, p, q, label, bent=(q, p) in arrows)
    x, y = places[diagram.dfa.initial]
    _arrow(axes, (x - 0.75, y), (x, y), 0.0)
    for q, place in enumerate(places):
        _draw_state(axes, place, str(q), accepting=q in diagram.dfa.accepting)
    states = f"{len(places)} state{'s' * (len(places) > 1)}"
    _finish(axes, places, f"minimal DFA: {states}" if k == 1 else f"its k-automaton, k = {k}")


def _label(count: int, words: tuple[str, ...], alphabet: tuple[str, ...], k: int) -> str:
    """The words where they are few and short, else the first of them and their number."""
    if count == len(alphabet) ** k > 1:
        return "Σ" if k == 1 else f"Σ^{k}"
    if count == len(words) and sum(map(len, words)) <= _WORDS:
        return ", ".join(words)
    first = words[0] if len(words[0]) <= _WORDS else f"{words[0][: _WORDS - 2]}.."
    return first if count == 1 else f"{first}, .. ({count if count < 10**6 else '> 10^6'})"


def _draw_state(axes: Axes, place: tuple[float, float], name: str, *, accepting: bool) -> None:
    from matplotlib.patches import Circle

    axes.add_patch(Circle(place, _RADIUS, facecolor="white", edgecolor=INK["mark"], zorder=3))
    if accepting:
        axes.add_patch(Circle(place, _RADIUS * 0.8, facecolor="none", edgecolor=INK["mark"], zorder=3))
    axes.text(*place, name, ha="center", va="center", fontsize=9, zorder=4, parse_math=False)


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], bend: float) -> None:
    from matplotlib.patches import FancyArrowPatch

    away, reach = _unit(start, end), _RADIUS
    begin = (start[0], start[1]) if bend == 0.0 and math.dist(start, end) < 0.8 else _moved(start, away, reach, bend)
    axes.add_patch(
        FancyArrowPatch(
            begin, _moved(end, (-away[0], -away[1]), reach, -bend), connectionstyle=f"arc3,rad={bend}", shrinkA=0,
            shrinkB=0, arrowstyle="-|>", mutation_scale=11, color=INK["realized"], linewidth=1.1, zorder=2,
        )
    )  # fmt: skip


def _moved(point: tuple[float, float], way: tuple[float, float], reach: float, bend: float) -> tuple[float, float]:
    """The point on the circle around a state where an arrow that is bent by so much begins."""
    turn = math.atan2(way[1], way[0]) - 2 * bend * 0.8
    return point[0] + reach * math.cos(turn), point[1] + reach * math.sin(turn)


def _unit(start: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
    length = math.dist(start, end)
    return (end[0] - start[0]) / length, (end[1] - start[1]) / length


def _draw_arrow(axes: Axes, places: _Places, p: int, q: int, label: str, *, bent: bool) -> None:
    start, end = places[p], places[q]
    between = any(_is_between(places[r], start, end) for r in range(len(places)) if r not in (p, q))
    bend = 0.35 if between else 0.22 if bent else 0.0
    _arrow(axes, start, end, bend)
    way, length = _unit(start, end), math.dist(start, end)
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    off = bend * length / 2 + 0.02
    _write(axes, (middle[0] + way[1] * off, middle[1] - way[0] * off), label)


def _is_between(point: tuple[float, float], start: tuple[float, float], end: tuple[float, float]) -> bool:
    """Whether a state stands on the line from one to the other, or close to it."""
    (x0, y0), (x1, y1) = start, end
    square = (x1 - x0) ** 2 + (y1 - y0) ** 2
    along = ((point[0] - x0) * (x1 - x0) + (point[1] - y0) * (y1 - y0)) / square
    if not 0 < along < 1:
        return False
    return math.dist(point, (x0 + along * (x1 - x0), y0 + along * (y1 - y0))) < _RADIUS * 1.3


def _draw_loop(axes: Axes, places: _Places, q: int, label: str) -> None:
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    x, y = places[q]
    centre = (sum(a for a, _ in places) / len(places), sum(b for _, b in places) / len(places))
    up = 1 if y >= centre[1] - 1e-9 else -1
    points = [
        (x - 0.12, y + up * 0.19), (x - 0.38, y + up * 0.68), (x + 0.38, y + up * 0.68), (x + 0.12, y + up * 0.19),
    ]  # fmt: skip
    path = Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    axes.add_patch(
        FancyArrowPatch(path=path, arrowstyle="-|>", mutation_scale=11, color=INK["realized"], linewidth=1.1, zorder=2)
    )
    _write(axes, (x, y + up * 0.68), label)


def _write(axes: Axes, place: tuple[float, float], label: str) -> None:
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85}
    axes.text(*place, label, ha="center", va="center", fontsize=8, zorder=2.5, bbox=box, parse_math=False)


def _draw_order(axes: Axes, diagram: LanguageDiagram) -> None:
    rows: dict[int, list[int]] = {}
    for group, rank in enumerate(diagram.ranks):
        rows.setdefault(rank, []).append(group)
    places = [(0.0, 0.0)] * len(diagram.groups)
    for rank, row in rows.items():
        for n, group in enumerate(row):
            places[group] = (1.3 * (n - (len(row) - 1) / 2), 1.1 * rank)
    for lower, upper in diagram.covers:
        (x0, y0), (x1, y1) = places[lower], places[upper]
        axes.plot([x0, x1], [y0, y1], color=INK["mark"], linewidth=1, zorder=1)
    for states, place in zip(diagram.groups, places, strict=True):
        text = ", ".join(map(str, states[:8])) + (", .." if len(states) > 8 else "")
        several = len(states) > 1
        box = {
            "boxstyle": "round,pad=0.35", "facecolor": "white", "linewidth": 1 + several,
            "edgecolor": _COMPONENT if several else INK["mark"],
        }  # fmt: skip
        axes.text(*place, text, ha="center", va="center", fontsize=9, zorder=3, bbox=box)
    if diagram.power_arrows is not None:
        title = "partial order of the states" + (", k letters at a time" if diagram.k != 1 else "")
    else:
        title = "order of components" + (": not one of states for any k" if diagram.k is None else "")
    _finish(axes, places, title)


def _finish(axes: Axes, places: _Places, title: str) -> None:
    xs, ys = [x for x, _ in places], [y for _, y in places]
    axes.set_xlim(min(xs) - 1.0, max(xs) + 0.9)
    axes.set_ylim(min(ys) - 1.0, max(ys) + 1.0)
    axes.set_aspect("equal")
    axes.axis("off")
    axes.set_title(title, fontsize=10)
