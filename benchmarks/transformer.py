"""How fast the F-transformer runs, beside NumPy's float32 layer and gfloat's rounding call by call, in one run.

    python benchmarks/transformer.py [--full]

Run by hand, on an idle machine; all use every core.  The layer has 8 heads, dimension 64, a feed-forward network of
256 and layer norms; 8 words of length 510 (512 positions).  NumPy computes it unrounded in float32, with BLAS and exp.
gfloat rounds after every NumPy operation, one word only, and its time is multiplied by 8; its result must be the same.
`--full` also runs 5 such layers on 512 words of 500 positions.  The last lines are the peak memory of a process that
attends with one head of size 8 at length 16384.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress

from fpsim.transformer import Attention, FeedForward, Layer, Linear, Norm, Precision, Rotary, Transformer, rounded
from fpsim.transformer.forward import activations, run

Array = np.ndarray[Any, Any]
DIM, HEADS, HIDDEN, LENGTH, WORDS = 64, 8, 256, 512, 8
SIZE = DIM // HEADS


def make_model(precision: Precision, layers: int = 1) -> Transformer:
    """A random transformer over two letters, scaled so that its streams stay around 1."""
    rng = np.random.default_rng(7)

    def linear(outputs: int, inputs: int) -> Linear:
        return Linear(rng.normal(scale=inputs**-0.5, size=(outputs, inputs)), rng.normal(scale=0.1, size=outputs))

    rotary = Rotary.of(["1", "0.1", "0.01", "0"], heads=HEADS)
    made = tuple(
        Layer(
            Attention(*(linear(DIM, DIM) for _ in range(4)), HEADS, rotary),
            FeedForward(linear(HIDDEN, DIM), linear(DIM, HIDDEN)),
            Norm(np.ones(DIM), np.zeros(DIM), 1e-5),
            Norm(np.ones(DIM), np.zeros(DIM), 1e-5),
        )
        for _ in range(layers)
    )
    return rounded(Transformer(("a", "b"), rng.normal(size=(4, DIM)), made, linear(1, DIM), precision))


def make_words(count: int, letters: int) -> list[str]:
    """Random words."""
    rng = np.random.default_rng(8)
    return ["".join(rng.choice(["a", "b"], size=letters)) for _ in range(count)]


Operations = dict[str, Callable[..., Array]]


def layer_in_numpy(model: Transformer, words: list[str], kind: Any, rounding: Callable[[Array], Array] | None) -> Array:
    """The classifier's values by NumPy: with BLAS in `kind`, or operation by operation with a rounding after each."""
    layer = model.layers[0]
    attention, network = layer.attention, layer.feed_forward
    assert attention is not None
    assert network is not None
    assert attention.rotary is not None
    tokens = np.array([[0, *(2 + "ab".index(letter) for letter in word), 1] for word in words])
    x = model.embedding[tokens].astype(kind)
    c, s = cosines(model, x.shape[1], kind)
    r = rounding or (lambda y: y)

    def linear(part: Linear, y: Array) -> Array:
        weight, bias = part.weight.astype(kind), 0 if part.bias is None else part.bias.astype(kind)
        if rounding is None:
            return np.asarray(y @ weight.T + bias)
        total = r(y[..., :1] * weight[:, 0])
        for d in range(1, weight.shape[1]):
            total = r(total + r(y[..., d : d + 1] * weight[:, d]))
        return r(total + bias)

    def by_head(y: Array) -> Array:
        return np.ascontiguousarray(y.reshape(*y.shape[:2], HEADS, SIZE).transpose(0, 2, 1, 3))

    def rotated(y: Array) -> Array:
        even, odd = y[..., 0::2], y[..., 1::2]
        made = np.empty_like(y)
        made[..., 0::2] = r(r(c * even) - r(s * odd))
        made[..., 1::2] = r(r(s * even) + r(c * odd))
        made[..., 6:] = y[..., 6:]  # the pair of angle 0
        return made

    def norm(part: Norm, y: Array) -> Array:
        if rounding is None:
            centred = y - y.mean(axis=-1, keepdims=True)
            deviation = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + part.epsilon.astype(kind))
            return np.asarray(centred / deviation * part.gain.astype(kind) + part.bias.astype(kind))  # type: ignore[union-attr]
        centred = r(y - r(fold(y) / DIM))
        deviation = r(np.sqrt(r(r(fold(r(centred * centred)) / DIM) + part.epsilon)))
        return r(r(r(centred / deviation) * part.gain) + part.bias)

    def fold(y: Array) -> Array:
        total = y[..., :1]
        for d in range(1, y.shape[-1]):
            total = r(total + y[..., d : d + 1])
        return total

    q, k, v = (by_head(linear(part, x)) for part in (attention.query, attention.key, attention.value))
    q, k = rotated(q), rotated(k)
    attended = by_blas(q, k, v, kind) if rounding is None else by_operations(q, k, v, r)
    joined = attended.transpose(0, 2, 1, 3).reshape(x.shape)
    x = norm(layer.attention_norm, r(x + linear(attention.output, joined)))  # type: ignore[arg-type]
    hidden = np.maximum(linear(network.up, x), 0)
    x = norm(layer.feed_forward_norm, r(x + linear(network.down, hidden)))  # type: ignore[arg-type]
    return linear(model.classifier, x[:, -1])[:, 0]


def cosines(model: Transformer, length: int, kind: Any) -> tuple[Array, Array]:
    """The realized blocks of the four pairs, the same for every head."""
    from fpsim.transformer.rotation import realized_blocks, rotations

    attention = model.layers[0].attention
    assert attention is not None
    assert attention.rotary is not None
    made = [
        (np.ones(length), np.zeros(length)) if each is None else realized_blocks(each, length)
        for each in rotations(model.precision, attention.rotary.kind, attention.rotary.angles[0])
    ]
    return np.stack([c for c, _ in made], -1).astype(kind), np.stack([s for _, s in made], -1).astype(kind)


def by_blas(q: Array, k: Array, v: Array, kind: Any) -> Array:
    """Strictly masked attention as one writes it in NumPy."""
    scores = q @ k.transpose(0, 1, 3, 2)
    scores[..., np.triu(np.ones(scores.shape[-2:], bool))] = -np.inf
    scores[..., 0, 0] = 0  # the empty context, set to 0 below
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    out = scores @ v
    out[..., 0, :] = 0
    return np.asarray(out.astype(kind))


def by_operations(q: Array, k: Array, v: Array, r: Callable[[Array], Array]) -> Array:
    """Strictly masked attention with a rounding after every operation, whole rows of queries at a time."""
    length = q.shape[2]
    shape = (*q.shape[:2], length)
    exponentials, denominator, out = np.zeros((*shape, length)), np.zeros(shape), np.zeros(v.shape)
    scores = r(q[..., :, None, 0] * k[..., None, :, 0])
    for d in range(1, SIZE):
        scores = r(scores + r(q[..., :, None, d] * k[..., None, :, d]))
    seen = np.tril(np.ones((length, length), bool), -1)
    greatest = np.where(seen, scores, -np.inf).max(axis=-1)
    greatest[..., 0] = 0
    exponentials = np.where(seen, r(np.exp(r(scores - greatest[..., None]))), 0)
    for j in range(length - 1):
        rows = slice(j + 1, None)
        denominator[..., rows] = r(denominator[..., rows] + exponentials[..., rows, j])
    denominator[..., 0] = 1
    for j in range(length - 1):
        rows = slice(j + 1, None)
        weights = r(exponentials[..., rows, j] / denominator[..., rows])
        out[..., rows, :] = r(out[..., rows, :] + r(weights[..., None] * v[..., j : j + 1, :]))
    return out


def best(call: Callable[[], Any], rounds: int) -> float:
    """Seconds of the fastest of so many calls, after one that does not count."""
    call()
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def memory() -> None:
    """What a process of its own takes for one head at length 16384, in MiB; run with --memory."""
    from fpsim.attention.attend import attend

    q = np.zeros((16384, 8))
    attend("fp16", q[:2], q[:2], q[:2], threads=1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    attend("fp16", q, q, q, threads=1)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"  length 16384, one head: a process of {before / 1024:.0f} MiB grows to at most {after / 1024:.0f} MiB")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="5 layers on 512 words of 500 positions too (minutes)")
    parser.add_argument("--memory", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.memory:
        memory()
        return
    words = make_words(WORDS, LENGTH - 2)
    models = {name: make_model(Precision.of(name)) for name in ("fp16", "bf16", "e4m3", "fp32")}
    print(f"One layer, {HEADS} heads, dimension {DIM}, {LENGTH} positions, {WORDS} words, {os.cpu_count()} cores")
    blas = best(lambda: layer_in_numpy(models["fp32"], words, np.float32, None), 5)
    print(f"  {'NumPy float32, unrounded, BLAS':<44}{blas:9.3f} s     1.00 x")
    times = {}
    for name, model in models.items():
        times[name] = best(lambda model=model: run(model, words), 3)
        print(f"  {name + ', every operation rounded':<44}{times[name]:9.3f} s {times[name] / blas:8.2f} x")
    by_gfloat(models["fp16"], words[0], times["fp16"])
    if arguments.full:
        model = make_model(Precision.of("fp16"), layers=5)
        many = make_words(512, 498)
        begin = time.perf_counter()
        with Progress(console=Console(stderr=True), transient=True) as bar:
            bar.add_task("words", total=len(many))
            run(model, many, progress=lambda done, _: bar.update(bar.task_ids[0], completed=done))
        print(f"  {'5 layers, 512 words of 500 positions, fp16':<44}{time.perf_counter() - begin:9.1f} s")
    subprocess.run([sys.executable, __file__, "--memory"], check=True)


def by_gfloat(model: Transformer, word: str, ours: float) -> None:
    """The same layer with gfloat's rounding called after every operation, for one word."""
    try:
        import gfloat
        from gfloat.formats import format_info_binary16
    except ImportError:
        print("  gfloat is not installed: `pip install '.[bench]'`")
        return

    def rounding(y: Array) -> Array:
        return np.asarray(gfloat.round_ndarray(format_info_binary16, y))

    begin = time.perf_counter()
    found = layer_in_numpy(model, [word], np.float64, rounding)
    seconds = (time.perf_counter() - begin) * WORDS
    assert found[0] == activations(model, word).value, "gfloat's result is another one"
    print(f"  {'fp16 by gfloat, one word times 8':<44}{seconds:9.1f} s {seconds / ours:8.0f} x the time of fp16 here")


if __name__ == "__main__":
    main()
