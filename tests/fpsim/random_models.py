"""Small random transformers for tests: every part that a model can have, parameters rounded into F."""

from __future__ import annotations

import numpy as np

from fpsim.transformer import (
    Attention,
    FeedForward,
    Layer,
    Linear,
    Norm,
    Precision,
    Rotary,
    Sinusoidal,
    Transformer,
    rounded,
)


def random_model(
    seed: int,
    precision: Precision,
    *,
    alphabet: str = "ab",
    dim: int = 4,
    layers: int = 2,
    heads: int = 2,
    size: int = 2,
    kind: str = "ideal",
    angles: tuple[str, ...] = ("1", "0"),
    norms: bool = True,
    norm_at: str = "post",
    sinusoidal: bool = False,
    mask: str = "strict",
    scale: float = 1.0,
) -> Transformer:
    rng = np.random.default_rng(seed)

    def linear(outputs: int, inputs: int, bias: bool = True) -> Linear:
        weight = rng.normal(scale=scale, size=(outputs, inputs))
        return Linear(weight, rng.normal(size=outputs) if bias else None)

    def norm() -> Norm | None:
        return Norm(rng.normal(size=dim) + 1, rng.normal(size=dim), [1e-3]) if norms else None

    pairs = size // 2
    listed = [[angles[(head + pair) % len(angles)] for pair in range(pairs)] for head in range(heads)]
    made = [
        Layer(
            Attention(
                linear(heads * size, dim), linear(heads * size, dim), linear(heads * 3, dim), linear(dim, heads * 3),
                heads, Rotary.of(listed, kind) if kind != "none" else None,
            ),
            FeedForward(linear(2 * dim, dim), linear(dim, 2 * dim, bias=False)) if n % 2 == 0 else None,
            norm(),
            norm() if n % 2 == 0 else None,
        )
        for n in range(layers)
    ]  # fmt: skip
    position = Sinusoidal.of(["2pi/3"], first=1) if sinusoidal else None
    return rounded(
        Transformer(
            tuple(alphabet), rng.normal(size=(2 + len(alphabet), dim)), tuple(made), linear(1, dim), precision,
            position=position, final_norm=norm() if norm_at == "pre" else None, norm_at=norm_at, mask=mask,  # type: ignore[arg-type]
        )
    )  # fmt: skip
