"""Plans as files: TOML, or YAML where PyYAML is installed.

    question = "nmax"
    time_limit = 10        # seconds for each job; may be left out

    [axes]
    dtype = ["fp16", "bf16"]
    g = "1.0, 0.1, pi/7"
    C = "log:10:1e4:50"

A value is a text, a number or a list of them, as an axis takes them (`certify.sweeping.axis`).  Numbers are exact: 0.1
is one tenth.  In YAML every scalar is read as the text that stands there, so that nothing passes through binary64 and
`no` is no boolean; tags are ignored, and no object is ever made.  Aliases are followed, but a plan has at most 2^20
values with what they repeat, so that a short file cannot stand for a large one.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gmpy2 import mpq

from certify.sweeping.plan import Plan
from fpsim.errors import InputError, UnsupportedError
from fpsim.number import parse_number
from fpsim.plain_file import read_plain_file

__all__ = ["EXAMPLE", "read_plan", "read_time_limit"]

MOST_BYTES = 1 << 24
MOST_NODES = 1 << 20
_DEEPEST = 4  # the plan, its axes, the values of one, the angles of a head of many pairs
MOST_SECONDS = 10**7
KEYS = ("question", "axes", "time_limit")
EXAMPLE = Path(__file__).with_name("example.toml")


def read_plan(path: str | Path) -> tuple[Plan, mpq | None]:
    """The plan in the file, and its time limit for each job in seconds, None where it has none.

    Raises `InputError` for a file that cannot be read, an unknown key and everything that `Plan.of` refuses, and
    `UnsupportedError` for YAML without PyYAML.

    >>> plan, limit = read_plan(EXAMPLE)
    >>> plan.question, plan.size, limit
    ('nmax', 1200, mpq(10,1))
    """
    file = Path(path)
    data = read_plain_file(file, "plan", MOST_BYTES, "a readable TOML or YAML file")
    readers = {".toml": _read_toml, ".yaml": _read_yaml, ".yml": _read_yaml}
    if file.suffix.lower() not in readers:
        raise InputError("plan", str(path), "a file that ends in .toml, .yaml or .yml")
    try:
        found = readers[file.suffix.lower()](data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError("plan", f"{path} ({error})", "a text in UTF-8") from error
    if not isinstance(found, dict):
        raise InputError("plan", str(path), f"a table with the keys {', '.join(KEYS)}")
    for key in found:
        if key not in KEYS:
            hint = "; an axis stands in the table axes" if key in _axis_names() else ""
            raise InputError("plan", f"the key {key}", f"one of {', '.join(KEYS)}{hint}")
    if "question" not in found:
        raise InputError("plan", f"{path} without a question", 'one with question = "nmax", "period" or "modulus"')
    axes = found.get("axes", {})
    if not isinstance(axes, dict):
        raise InputError("plan", "axes that are no table", "a table [axes] with one key for each axis")
    limit = found.get("time_limit")
    return Plan.of(found["question"], axes), None if limit is None else read_time_limit(limit)


def read_time_limit(given: Any) -> mpq:
    """The seconds for each job, exact.  Raises `InputError`."""
    seconds = parse_number(given, "time_limit")
    if not 0 < seconds <= MOST_SECONDS:
        raise InputError("time_limit", given, f"a number of seconds above 0 and at most {MOST_SECONDS}")
    return seconds


def _axis_names() -> set[str]:
    from certify.sweeping.questions import QUESTIONS

    return {axis.name for question in QUESTIONS.values() for axis in question.axes}


def _read_toml(text: str) -> Any:
    try:
        return tomllib.loads(text, parse_float=_parse_float)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:  # TOMLDecodeError is a ValueError
        raise InputError("plan", f"TOML that does not parse ({error})", "a TOML file") from error


def _parse_float(text: str) -> mpq:
    return parse_number(text, "plan")


def _read_yaml(text: str) -> Any:
    try:
        import yaml
    except ImportError as error:
        raise UnsupportedError("plans in YAML need PyYAML: pip install 'fpcert[yaml]'; TOML needs nothing") from error
    try:
        return _of_node(yaml.compose(text, Loader=yaml.BaseLoader), yaml, _DEEPEST, itertools.count(1))
    except InputError:
        raise
    except (yaml.YAMLError, RecursionError) as error:
        message = " ".join(str(error).split())
        raise InputError("plan", f"YAML that does not parse ({message})", "a YAML file") from error


def _of_node(node: Any, yaml: Any, depth: int, nodes: Iterator[int]) -> Any:
    """The mapping, list or text of a node, which is the next of `nodes`: an alias is as many as what it stands for."""
    if next(nodes) > MOST_NODES:
        raise InputError("plan", f"more than {MOST_NODES} values", "fewer: a range such as 1:1000000:1000000 is one")
    if isinstance(node, yaml.ScalarNode):
        return node.value
    if depth == 0:
        raise InputError("plan", "what is nested deeper", "a table with a table axes, whose values are lists")
    if isinstance(node, yaml.SequenceNode):
        return [_of_node(part, yaml, depth - 1, nodes) for part in node.value]
    found: dict[str, Any] = {}
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        if not isinstance(key, yaml.ScalarNode):
            raise InputError("plan", "a key that is no text", "a text such as question, axes or the name of an axis")
        if key.value in found:
            raise InputError("plan", f"the key {key.value!r} twice", "given once")
        found[key.value] = _of_node(value, yaml, depth - 1, nodes)
    return found if isinstance(node, yaml.MappingNode) else None
