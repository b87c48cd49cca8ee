"""One job of a sweep: a question with all its parameters, and the name by which the file knows it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from certify.sweeping.axis import Value
from certify.sweeping.questions import Answer, find_question

__all__ = ["SEMANTICS", "Job"]

SEMANTICS = 1  # of the claims, as in a certificate


@dataclass(frozen=True)
class Job:
    """A question and the value of every parameter, None where it is absent.

    contents: for each value that names a file, the sha256 of what the file says: another content is another job.
    """

    question: str
    parameters: Mapping[str, Value | None]
    contents: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def text(self) -> str:
        """The canonical JSON of the job: sorted keys, no spaces, every default written out, numbers that are not whole
        as exact texts; two jobs are the same when these texts are.

        >>> Job("nmax", {"g": "0.1", "C": "40", "k": 1}).text
        '{"parameters":{"C":"40","g":"0.1","k":1},"question":"nmax","semantics":1}'
        """
        shown: dict[str, Any] = {
            "question": self.question,
            "parameters": dict(self.parameters),
            "semantics": SEMANTICS,
        }
        if self.contents:
            shown["contents"] = dict(self.contents)
        return json.dumps(shown, sort_keys=True, separators=(",", ":"), allow_nan=False)

    @cached_property
    def id(self) -> str:
        """The sha256 of `text`, in hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @staticmethod
    def parse(text: str) -> Job:
        """The job of this canonical text."""
        shown = json.loads(text)
        return Job(shown["question"], shown["parameters"], shown.get("contents", {}))

    def answer(self) -> Answer:
        """Do the job.  Raises what the function of `certify` raises."""
        given = {name: value for name, value in self.parameters.items() if value is not None}
        return find_question(self.question).answer(**given)
