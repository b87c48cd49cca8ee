"""The pages (README.md and docs/*.md), read with a parser of Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
_NOT_RUN = re.compile(r"<!-- not run: (.+) -->\s*")
_FILE = re.compile(r"^:caption: (\S+)\n+", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A block of code: its language, its text, the line it begins at, and the reason when it is not to be run.

    file: the name under which a reader is to save it, the caption of a `{code-block}`.
    """

    language: str
    text: str
    line: int
    not_run: str | None
    file: str | None


def _block(token: Token, before: Token | None) -> Block:
    words = token.info.split()
    language, text, file = (words or [""])[0], token.content, None
    if language == "{code-block}":
        language, caption = words[1], _FILE.search(text)
        if caption is not None:
            file, text = caption[1], text[: caption.start()] + text[caption.end() :]
    mark = _NOT_RUN.fullmatch(before.content) if before is not None and before.type == "html_block" else None
    assert token.map is not None
    return Block(language, text, token.map[0] + 1, None if mark is None else mark[1], file)


def _tokens(page: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))


def _blocks(page: Path) -> Iterator[Block]:
    before: Token | None = None
    for token in _tokens(page):
        if token.type == "fence":
            yield _block(token, before)
        before = token


def _phrases(page: Path) -> Iterator[str]:
    for token in _tokens(page):
        yield from (part.content for part in token.children or () if part.type == "code_inline")


@pytest.fixture
def blocks() -> Callable[[Path], list[Block]]:
    """`blocks(page)`: the blocks of code of a page."""
    return lambda page: list(_blocks(page))


@pytest.fixture
def phrases() -> Callable[[Path], list[str]]:
    """`phrases(page)`: what stands between backticks in the text of a page."""
    return lambda page: list(_phrases(page))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test with an argument `page` runs for every page."""
    if "page" in metafunc.fixturenames:
        folder = ROOT / "docs"
        pages = [ROOT / "README.md", *sorted(folder.glob("*.md")), *sorted(folder.glob("[a-z]*/*.md"))]
        pages = [page for page in pages if page.parent.name != "notebooks"]  # a link to another folder
        metafunc.parametrize("page", pages, ids=[str(page.relative_to(ROOT)) for page in pages])


@pytest.fixture
def root() -> Path:
    """The repository."""
    return ROOT
