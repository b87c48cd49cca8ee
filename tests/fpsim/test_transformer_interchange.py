"""Weights of other programs: names, types, shapes, pairs, the scale of torch's attention."""

import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from gmpy2 import mpq
from safetensors import SafetensorError, deserialize
from safetensors.numpy import save_file

from fpsim import arithmetic
from fpsim.codes import encode
from fpsim.errors import InputError
from fpsim.operands import as_element
from fpsim.real import sqrt_of
from fpsim.realization import realize
from fpsim.rounding.reference import round_exact
from fpsim.transformer import Precision, Rotary, parameters
from fpsim.transformer.forward import run
from fpsim.transformer.interchange import from_state_dict
from fpsim.transformer.layouts import layer_count, scaled_down, state_names
from fpsim.transformer.representable import RoundedWarning
from fpsim.valueset import ValueSet

SAID = {"alphabet": "ab", "heads": 2}


def state_of(seed=0, dim=4, size=4, layers=2, dtype=np.float32, values="fp16"):
    """Random weights in the layout fpcert, values of F, in this type."""
    rng = np.random.default_rng(seed)

    def numbers(*shape):
        return arithmetic.round(values, rng.normal(size=shape)).astype(dtype)

    state = {
        "embedding.weight": numbers(4, dim),
        "classifier.weight": numbers(1, dim),
        "classifier.bias": numbers(1),
        "final_norm.weight": numbers(dim),
    }
    for n in range(layers):
        for each, shape in (
            ("query", (2 * size, dim)),
            ("key", (2 * size, dim)),
            ("value", (6, dim)),
            ("output", (dim, 6)),
        ):
            state |= {
                f"layers.{n}.attention.{each}.weight": numbers(*shape),
                f"layers.{n}.attention.{each}.bias": numbers(shape[0]),
            }
        state |= {
            f"layers.{n}.feed_forward.up.weight": numbers(5, dim),
            f"layers.{n}.feed_forward.down.weight": numbers(dim, 5),
            f"layers.{n}.feed_forward.up.bias": numbers(5),
        }
        state |= {
            f"layers.{n}.attention_norm.weight": numbers(dim),
            f"layers.{n}.attention_norm.bias": numbers(dim),
            f"layers.{n}.feed_forward_norm.weight": numbers(dim),
        }
    return state


def encoder_of(state):
    """The same weights as a torch.nn.TransformerEncoder has them (all of its norms have biases)."""
    names = {
        "attention.output": "self_attn.out_proj",
        "feed_forward.up": "linear1",
        "feed_forward.down": "linear2",
        "attention_norm": "norm1",
        "feed_forward_norm": "norm2",
    }
    out = {name: array for name, array in state.items() if name.startswith(("embedding", "classifier"))}
    out["encoder.norm.weight"] = state["final_norm.weight"]
    for n in range(layer_count(state)):
        for kind in ("weight", "bias"):
            out[f"encoder.layers.{n}.self_attn.in_proj_{kind}"] = np.concatenate(
                [state[f"layers.{n}.attention.{each}.{kind}"] for each in ("query", "key", "value")]
            )
            for ours, theirs in names.items():
                if f"layers.{n}.{ours}.{kind}" in state:
                    out[f"encoder.layers.{n}.{theirs}.{kind}"] = state[f"layers.{n}.{ours}.{kind}"]
    return out


def same(one, two):
    mine, theirs = parameters(one), parameters(two)
    assert list(mine) == list(theirs)
    for name, array in mine.items():
        assert array.dtype == theirs[name].dtype == np.float64
        assert (array == theirs[name]).all(), name


def test_names_and_numbers_of_the_layout():
    state = state_of()
    model = from_state_dict(state, precision="fp16", strict=True, **SAID)
    names = state_names(list(parameters(model)))
    for name, array in parameters(model).items():
        if name.endswith("epsilon"):
            assert array.tolist() == [float(round_exact(ValueSet.parse("fp16"), mpq(1, 10**5)))]
        else:
            assert (array == state[names[name]]).all()
    assert {names[name] for name in names if not name.endswith("epsilon")} == set(state)
    other = from_state_dict(state | {"final_norm.epsilon": np.float32([0.25])}, precision="fp16", epsilon=0, **SAID)
    assert other.final_norm.epsilon.tolist() == [0.25]
    assert other.layers[0].attention_norm.epsilon.tolist() == [0.0]
    assert (model.mask, model.norm_at) == ("strict", "post")


TYPES = {
    "float16": "fp16",
    "float32": "fp32",
    "float64": "fp64",
    "bfloat16": "bf16",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "float8_e4m3fnuz": "e4m3fnuz",
    "float8_e5m2fnuz": "e5m2fnuz",
}


@pytest.mark.parametrize(("dtype", "values"), TYPES.items())
def test_types_of_arrays_and_of_files(tmp_path, dtype, values):
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    plain = state_of(dtype=np.float64, values=values)
    model = from_state_dict(plain, precision=values, strict=True, **SAID)
    typed = {name: array.astype(kind) for name, array in plain.items()}
    same(from_state_dict(typed, precision=values, strict=True, **SAID), model)
    names = {
        "bfloat16": "BF16",
        "float8_e4m3fn": "F8_E4M3",
        "float8_e5m2": "F8_E5M2",
        "float8_e4m3fnuz": "F8_E4M3FNUZ",
        "float8_e5m2fnuz": "F8_E5M2FNUZ",
    }
    path = tmp_path / "w.safetensors"
    save_file({name: array if dtype not in names else encode(values, array) for name, array in typed.items()}, path)
    if dtype in names:  # the library's writer for NumPy has no such types: the type of the codes is put right by hand
        width = 16 if kind.itemsize == 2 else 8
        data = path.read_bytes()
        size = int.from_bytes(data[:8], "little")
        header = data[8 : 8 + size].replace(b'"U%d"' % width, b'"%s"' % names[dtype].encode()).rstrip()
        path.write_bytes(len(header).to_bytes(8, "little") + header + data[8 + size :])
    if "fnuz" in dtype:
        try:
            deserialize(path.read_bytes())
        except SafetensorError:
            pytest.skip("this safetensors is older than its types fnuz")
    same(from_state_dict(path, precision=values, strict=True, **SAID), model)
    same(
        from_state_dict({name: array.tolist() for name, array in plain.items()}, precision=values, strict=True, **SAID),
        model,
    )


def test_numbers_outside_f():
    state = state_of(values="fp32")
    with pytest.warns(RoundedWarning, match="fp16"):
        model = from_state_dict(state, precision="fp16", **SAID)
    assert (model.embedding == state["embedding.weight"].astype(np.float16)).all()
    with pytest.raises(InputError, match=r"embedding\[0, 0\]"):
        from_state_dict(state, precision="fp16", strict=True, **SAID)


def test_halves_turn_the_same_pairs():
    """Scores with half-split rows are those of adjacent rows, in an order of summation that does not round."""
    state = state_of(size=6, layers=1, values="e3m2", dtype=np.float64)
    rotary = Rotary.of(["1", "1/2", "0"], heads=2)
    adjacent = from_state_dict(state, precision="fp64", rotary=rotary, **SAID)
    order = [0, 2, 4, 1, 3, 5]  # d and d + 3 turn together where 2d and 2d + 1 did
    halves = dict(state)
    for each in ("query", "key"):
        for kind in ("weight", "bias"):
            name = f"layers.0.attention.{each}.{kind}"
            halves[name] = np.concatenate([state[name][head * 6 + np.array(order)] for head in range(2)])
    same(from_state_dict(halves, precision="fp64", rotary=rotary, pairs="halves", **SAID), adjacent)


def test_halves_against_rotate_half():
    """The usual formula, x cos + rotate_half(x) sin with tables of both halves, gives the same scores."""
    rng = np.random.default_rng(1)
    weight = rng.normal(size=(6, 4))
    angles = ["1", "0.3", "0.01"]
    state = state_of(layers=1, dtype=np.float64, values="fp64") | {
        f"layers.0.attention.{each}.{kind}": (weight if kind == "weight" else np.zeros(6))
        for each in ("query", "key")
        for kind in ("weight", "bias")
    }
    model = from_state_dict(state, alphabet="ab", precision="fp64", rotary=Rotary.of(angles, heads=1), pairs="halves")
    x = rng.normal(size=(2, 4))
    fp64 = ValueSet.parse("fp64")

    def turned(y, i, halves):
        blocks = [realize("ideal", each, fp64).block(i) for each in Rotary.of(angles, heads=1).angles[0]]
        c, s = (np.array([float(block[part]) for block in blocks]) for part in (0, 1))
        if halves:
            rotated = np.concatenate([-y[3:], y[:3]])
            return y * np.tile(c, 2) + rotated * np.tile(s, 2)
        out = np.empty(6)
        out[0::2], out[1::2] = c * y[0::2] - s * y[1::2], s * y[0::2] + c * y[1::2]
        return out

    ours = model.layers[0].attention.query.weight
    for i, j in ((0, 0), (5, 2), (17, 3)):
        theirs = turned(weight @ x[0], i, True) @ turned(weight @ x[1], j, True)
        assert turned(ours @ x[0], i, False) @ turned(ours @ x[1], j, False) == pytest.approx(theirs, rel=1e-12)


def test_the_encoder_of_torch():
    state = state_of(dim=8, size=4)
    state = {name: array for name, array in state.items() if ".value." not in name and ".output." not in name}
    rng = np.random.default_rng(0)
    for n in range(2):
        for each, shape in (
            ("value.weight", (8, 8)),
            ("value.bias", (8,)),
            ("output.weight", (8, 8)),
            ("output.bias", (8,)),
        ):
            state[f"layers.{n}.attention.{each}"] = np.float32(np.float16(rng.normal(size=shape)))
    model = from_state_dict(encoder_of(state), precision="fp16", layout="torch-encoder", strict=True, **SAID)
    halved = {name: array / 2 if ".query." in name else array for name, array in state.items()}  # 1 / sqrt(4)
    same(model, from_state_dict(halved, precision="fp16", mask="causal", **SAID))
    assert model.mask == "causal"
    assert (
        from_state_dict(encoder_of(state), precision="fp16", layout="torch-encoder", mask="strict", **SAID).mask
        == "strict"
    )
    assert run(model, ["ab"]).values.size == 1


@pytest.mark.parametrize(
    "name", ["fp16", "e4m3:up", "fp32:zero", "bf16:down", "fp16:away", "fixed:8.4", "fp64:odd", "fp128", "nf4"]
)
@pytest.mark.parametrize("size", [2, 3, 12])
def test_an_irrational_scale_is_one_rounding(name, size):
    values = ValueSet.parse(name)
    rng = np.random.default_rng(size)
    array = arithmetic.round(values, rng.normal(size=(3, 7)))
    array[0, 0] = 0
    with pytest.warns(RoundedWarning, match=rf"1/sqrt\({size}\)"):
        found = scaled_down(values, array, size, "w")
    for x, y in zip(array.flat, found.flat, strict=True):
        exact = mpq(x)
        root = sqrt_of(exact * exact / size) if exact else mpq(0)
        expected = round_exact(values, root.scaled(mpq(-1)) if exact < 0 else root) if exact else mpq(0)
        assert as_element(y) == expected
    with pytest.raises(InputError, match="irrational"):
        scaled_down(values, array, size, "w", strict=True)


def test_a_rational_scale_is_exact():
    assert scaled_down(ValueSet.parse("fp16:up"), np.array([1.0, -np.inf, -0.0]), 9, "w").tolist() == [
        mpq(1, 3),
        -np.inf,
        -0.0,
    ]


@pytest.mark.parametrize(("change", "said", "text"), [
    ({"extra": np.zeros(2)}, {}, "'extra'"), ({"layers.0.attention.query.gain": np.zeros(2)}, {}, "query.gain"), ({"model.layers.0.mlp.gate_proj.weight": np.zeros((2, 2))}, {}, "gated"),
    ({"layers.0.attention.key.weight": None}, {}, "layers.0.attention.key.weight"), ({"embedding.weight": None}, {}, "embedding"), ({"layers.7.feed_forward.up.weight": np.zeros((2, 4))}, {}, "without layer 2"),
    ({"layers.x.attention.query.weight": np.zeros((2, 2))}, {}, "layers.x"), ({"embedding.weight": np.zeros((3, 4))}, {}, "embedding"), ({"embedding.weight": np.zeros(4)}, {}, "embedding"),
    ({"embedding.weight": np.array(["a"] * 4)}, {}, "embedding.weight"), ({"embedding.weight": np.zeros((4, 4), complex)}, {}, "complex"), ({"embedding.weight": np.zeros((4, 4), bool)}, {}, "bool"),
    ({"embedding.weight": object()}, {}, "embedding.weight"), ({"embedding.weight": [[1, 2], [3]]}, {}, "embedding.weight"), ({3: np.zeros(2)}, {}, "3"),
    ({"layers.0.attention.query.weight": np.float32(1)}, {}, "query.weight"), ({}, {"heads": 3}, "heads"), ({}, {"heads": [2]}, "heads"), ({}, {"heads": 0}, "heads"), ({}, {"heads": True}, "heads"),
    ({}, {"rotary": [None]}, "rotary"), ({}, {"rotary": Rotary.of(["1"])}, "rotary"), ({}, {"layout": "llama"}, "layout"), ({}, {"pairs": "thirds"}, "pairs"), ({}, {"mask": "none"}, "mask"), ({}, {"epsilon": "x"}, "epsilon"),
    ({}, {"epsilon": -1}, "epsilon"), ({}, {"alphabet": "a"}, "embedding"), ({}, {"alphabet": "aa"}, "alphabet"), ({}, {"alphabet": 5}, "alphabet"), ({}, {"precision": "fp15"}, "value set"), ({}, {"layout": "torch-encoder"}, "torch-encoder"),
    ({}, {"rotary": 3}, "rotary"), ({}, {"heads": None}, "heads"),
])  # fmt: skip
def test_bad_input(change, said, text):
    state = {name: array for name, array in (state_of() | change).items() if array is not None}
    with pytest.raises(InputError) as caught:
        from_state_dict(state, **({"alphabet": "ab", "heads": 2, "precision": "fp16"} | said))
    assert text in str(caught.value), caught.value


def test_bad_files_and_things(tmp_path):
    for state in (tmp_path / "no.safetensors", tmp_path, [1], None):
        with pytest.raises(InputError, match="state"):
            from_state_dict(state, precision="fp16", **SAID)
    with pytest.raises(InputError, match=r"rows"):
        from_state_dict(
            {"encoder.layers.0.self_attn.in_proj_weight": np.zeros((4, 4))},
            precision="fp16",
            layout="torch-encoder",
            **SAID,
        )
    with pytest.raises(InputError, match=r"encoder.layers.0.norm1.running"):
        from_state_dict(
            {"encoder.layers.0.norm1.running": np.zeros((4, 4))}, precision="fp16", layout="torch-encoder", **SAID
        )
    save_file({"embedding.weight": np.zeros((2, 2), bool)}, tmp_path / "bool.safetensors")
    with pytest.raises(InputError, match=r"embedding\.weight"):
        from_state_dict(tmp_path / "bool.safetensors", precision="fp16", **SAID)


def test_torch_is_not_imported_for_arrays():
    code = (
        "import sys, numpy as np; from fpsim.transformer.interchange import from_state_dict\n"
        "from_state_dict({'embedding.weight': np.eye(3, 2), 'classifier.weight': np.ones((1, 2))}, alphabet='a', precision='fp16')\n"
        "print('torch' in sys.modules, 'ml_dtypes' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split() == [
        "False",
        "False",
    ]


def test_without_torch_there_is_no_module():
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from fpsim import to_torch; from fpsim.transformer import Linear, Precision, Transformer\n"
        "from fpsim.errors import UnsupportedError\n"
        "try: to_torch(Transformer(('a',), [[0.0]] * 3, (), Linear([[1.0]]), Precision.of('fp16')))\n"
        "except UnsupportedError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert said == "torch is not installed: pip install 'fpcert[torch]'\n"


def test_precision_objects_and_no_layers():
    state = {"embedding.weight": np.eye(3, 2), "classifier.weight": [[1, "1/4"]]}
    model = from_state_dict(state, alphabet=("a",), precision=Precision.of("fp16", score="fp32"))
    assert (len(model.layers), str(model.precision), model.classifier.weight.tolist()) == (
        0,
        "fp16, score fp32",
        [[1.0, 0.25]],
    )
