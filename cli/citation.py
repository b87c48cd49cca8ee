"""What `fpcert --cite` prints; a test compares it with CITATION.cff."""

from __future__ import annotations

from importlib.metadata import version

__all__ = ["citation"]

_TEXT = """\
If you use fpcert, please cite it together with the paper whose statements it checks.

@software{{fpcert,
  author  = {{{{The fpcert authors}}}},
  title   = {{fpcert: what rotary position embeddings can do in finite precision}},
  version = {{{version}}},
  license = {{MIT}},
}}

@misc{{jerad2026rope,
  author        = {{Jerad, Selim and Svete, Anej and Li, Jiaoda and Cotterell, Ryan}},
  title         = {{Disentangling the Expressivity of {{RoPE}}}},
  year          = {{2026}},
  eprint        = {{2608.11909}},
  archivePrefix = {{arXiv}},
}}"""


def citation() -> str:
    """Two BibTeX entries: this software in its installed version, and the paper.

    >>> print(citation().splitlines()[0])
    If you use fpcert, please cite it together with the paper whose statements it checks.
    """
    return _TEXT.format(version=version("fpcert"))
