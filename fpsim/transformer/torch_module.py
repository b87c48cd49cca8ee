"""The model as a torch.nn.Module, which computes in binary32 what the model's regime `fp32` computes.

The realized rotations and encodings are tables, so that both compute with the same ones.  What differs is the order in
which torch sums, whether it fuses products with sums, and its exp, which is not rounded correctly.  On random models of
up to 5 layers the results differed by at most 28 * 2^-24 (1 + |value|); tests/fpsim/test_transformer_torch.py has the
bound for any order.  (A key or value that is infinite or NaN reaches earlier positions too there, as 0 * inf.)
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from fpsim.errors import InputError, UnsupportedError
from fpsim.number import parse_count
from fpsim.operands import Array
from fpsim.precision import Precision
from fpsim.transformer.layouts import state_names
from fpsim.transformer.model import Transformer
from fpsim.transformer.parameters import parameters
from fpsim.transformer.parts import Attention
from fpsim.transformer.representable import representable
from fpsim.transformer.rotation import encodings, realized_blocks, rotations
from fpsim.transformer.words import tokens

__all__ = ["to_torch"]

Tensor = Any  # of torch, which need not be installed where types are checked
_MAX_LENGTH = 1 << 20


def to_torch(model: Transformer, *, length: int = 512, strict: bool = False) -> Any:
    """A torch.nn.Module of this model in binary32, for inputs of at most `length` positions, BOS and EOS among them.

    `module(tokens)` takes a tensor of integers of shape (words, positions), rows of the embedding (BOS 0, EOS 1, then
    the letters), and gives the classifier's values at the last position, of shape (words,).  `module.values(words)`
    takes words.  Its `state_dict()` has the names of the layout fpcert, which `from_state_dict` reads back.

    Every stage is in binary32, whatever the precision of the model; parameters that binary32 has not are rounded with a
    `RoundedWarning`, or refused with `strict`.  Rotations are realized in binary32 too.  Raises `UnsupportedError`
    where torch is not installed.
    """
    count = parse_count(length, "length", least=2, most=_MAX_LENGTH)
    in_fp32 = representable(replace(model, precision=Precision.of("fp32")), strict=strict)
    return _module_class()(in_fp32, count)


def _tables(model: Transformer, attention: Attention, length: int) -> tuple[Array, Array] | None:
    """cos and sin of shape (heads, length, pairs); an unrotated pair has 1 and 0."""
    if attention.rotary is None:
        return None
    pairs = len(attention.rotary.angles[0])
    c, s = np.ones((attention.heads, length, pairs)), np.zeros((attention.heads, length, pairs))
    for head, angles in enumerate(attention.rotary.angles):
        for pair, realization in enumerate(rotations(model.precision, attention.rotary.kind, angles)):
            if realization is not None:
                c[head, :, pair], s[head, :, pair] = realized_blocks(realization, length)
    return c, s


@cache
def _module_class() -> Any:
    """The class, made when torch is there."""
    try:
        import torch
        from torch import nn
    except ImportError as error:
        raise UnsupportedError("torch is not installed: pip install 'fpcert[torch]'") from error

    def parameter(array: Array) -> Any:
        return nn.Parameter(torch.from_numpy(array.astype(np.float32)))

    def constant(array: Array) -> Tensor:
        return torch.from_numpy(np.array(array, np.float32))

    class Module(nn.Module):  # type: ignore[misc]  # a class of a package that is not typed here
        """See `to_torch`."""

        def __init__(self, model: Transformer, length: int) -> None:
            super().__init__()
            self.model, self.length = model, length
            names = state_names(list(parameters(model)))
            for name, array in parameters(model).items():
                *path, last = names[name].split(".")
                owner: Any = self
                for each in path:
                    if not hasattr(owner, each):
                        owner.add_module(each, nn.Module())
                    owner = getattr(owner, each)
                if last == "epsilon":
                    owner.register_buffer(last, constant(array))
                else:
                    owner.register_parameter(last, parameter(array))
            for n, layer in enumerate(model.layers):
                tables = None if layer.attention is None else _tables(model, layer.attention, length)
                for which, table in zip(("cos", "sin"), tables or (), strict=False):
                    self.register_buffer(f"_{which}_{n}", constant(table), persistent=False)
            if model.position is not None:
                made, _ = encodings(model.precision, model.position, length, model.dim)
                self.register_buffer("_encoding", constant(made), persistent=False)

        def forward(self, rows: Tensor) -> Tensor:
            """The classifier's values at the last position of each row of tokens."""
            if rows.shape[1] > self.length:
                raise InputError("tokens", f"{rows.shape[1]} positions", f"at most {self.length}: `length` of to_torch")
            x = self._embedded(rows)
            for n in range(len(self.model.layers)):
                for part in ("attention", "feed_forward"):
                    x = self._sublayer(n, part, x)
            return self._classified(x)

        def _embedded(self, rows: Tensor) -> Tensor:
            x = self.embedding.weight[rows]
            return x if self.model.position is None else x + self._encoding[: rows.shape[1]]

        def _sublayer(self, n: int, part: str, x: Tensor) -> Tensor:
            if getattr(self.model.layers[n], part) is None:
                return x
            run = self._attention if part == "attention" else self._feed_forward
            norm = f"layers.{n}.{part}_norm"
            if self.model.norm_at == "pre":
                return x + run(n, self._norm(norm, x))
            return self._norm(norm, x + run(n, x))

        def _classified(self, x: Tensor) -> Tensor:
            return self._linear("classifier", self._norm("final_norm", x[:, -1]))[:, 0]

        def values(self, words: Any) -> Tensor:
            """The classifier's value of each word."""
            made = [self(torch.from_numpy(tokens(self.model, word))[None])[0] for word in words]
            return torch.stack(made) if made else torch.zeros(0)

        def _linear(self, name: str, x: Tensor) -> Tensor:
            part = self.get_submodule(name)
            return nn.functional.linear(x, part.weight, getattr(part, "bias", None))

        def _norm(self, name: str, x: Tensor) -> Tensor:
            try:
                part = self.get_submodule(name)
            except AttributeError:
                return x
            centred = x - x.mean(-1, keepdim=True)
            variance = (centred * centred).mean(-1, keepdim=True)
            y = centred / torch.sqrt(variance + part.epsilon) * part.weight
            return y + part.bias if hasattr(part, "bias") else y

        def _feed_forward(self, n: int, x: Tensor) -> Tensor:
            hidden = torch.relu(self._linear(f"layers.{n}.feed_forward.up", x))
            return self._linear(f"layers.{n}.feed_forward.down", hidden)

        def _attention(self, n: int, x: Tensor) -> Tensor:
            attention = self.model.layers[n].attention
            assert attention is not None  # forward asks only of layers that have one
            heads = attention.heads
            words, length = x.shape[:2]

            def by_head(each: str) -> Tensor:
                y = self._linear(f"layers.{n}.attention.{each}", x)
                return y.reshape(words, length, heads, -1).transpose(1, 2)

            q, k, v = by_head("query"), by_head("key"), by_head("value")
            if hasattr(self, f"_cos_{n}"):
                c, s = (getattr(self, f"_{which}_{n}")[:, :length] for which in ("cos", "sin"))
                q, k = self._rotated(q, c, s), self._rotated(k, c, s)
            mixed = self._attended(q, k, v).transpose(1, 2).reshape(words, length, -1)
            return self._linear(f"layers.{n}.attention.output", mixed)

        @staticmethod
        def _rotated(x: Tensor, c: Tensor, s: Tensor) -> Tensor:
            first, second = x[..., 0::2], x[..., 1::2]
            return torch.stack((c * first - s * second, s * first + c * second), -1).flatten(-2)

        def _attended(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            """The stable softmax of Eq. 2; an empty context gives 0."""
            strict, length = self.model.mask == "strict", q.shape[2]
            allowed = torch.ones(length, length, dtype=torch.bool).tril(-1 if strict else 0)
            scores = (q @ k.transpose(-1, -2)).masked_fill(~allowed, -torch.inf)
            greatest = scores.max(-1, keepdim=True).values
            if strict:  # position 0 has nothing to attend to: its weights are exp(-inf - 0) / 1 = 0
                greatest[..., 0, :] = 0.0
            e = torch.exp(scores - greatest)
            total = e.sum(-1, keepdim=True)
            if strict:
                total[..., 0, :] = 1.0
            return e / total @ v

    return Module
