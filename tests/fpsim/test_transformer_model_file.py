"""Model files: what is read is what was written, and nothing that is no model is taken for one."""

import io
import json
import os
import pickle
import struct
import subprocess
import sys
import zipfile
from contextlib import suppress
from dataclasses import fields, replace

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import deserialize
from safetensors.numpy import save

from fpsim import arithmetic, codes, grid
from fpsim.angle import Angle, conventional_angle, power_angle
from fpsim.errors import FpcertError, InputError, UnsupportedError
from fpsim.pipeline import PIPELINES, Chain, Pipeline, Stages
from fpsim.realization.array_file import ArrayKind
from fpsim.realization.windowed import windowed
from fpsim.schedule import Schedule
from fpsim.sums import Order
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
    parameters,
    rounded,
    with_parameters,
)
from fpsim.transformer.files.angle_form import angle_text, read_angle
from fpsim.transformer.files.forms import precision_form, read_precision, read_value_set, value_set_form
from fpsim.transformer.files.model_file import KEY, load_model, save_model
from fpsim.transformer.files.stored_codes import code_type, code_words, from_codes, to_codes
from fpsim.transformer.forward import run
from fpsim.transformer.representable import RoundedWarning, representable
from fpsim.valueset import ValueSet
from fpsim.valueset_text import float_format

SETS = [
    "fp16", "bf16", "fp32", "fp64", "tf32", "e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz", "e3m2", "e2m1", "fp128", "fixed:8.4",
    "fixed:100.60", "fp16:ftz", "e4m3:saturate:zero", "e5m7:up", "e20m200", "e8m40", "fixed:54.3", "nf4", "fp32:odd",
    grid([0, "1/3", "-1/3", 2, "1/7", 1], name="thirds", overflow="saturate"), grid([0, 0.5, 1, -1]), float_format(5, -3, 7, overflow="saturate"),
    replace(ValueSet.parse("fp16"), name="my own"), replace(ValueSet.parse("fixed:8.4"), name="grid:/etc/passwd"),
]  # fmt: skip
SET_IDS = [str(each) for each in SETS]


def make(
    precision,
    seed=0,
    kind="ideal",
    *,
    dim=4,
    layers=2,
    heads=2,
    size=2,
    norms=True,
    alphabet="ab",
    position=None,
    **more,
):
    """A small model with every part; parameters rounded into F."""
    rng = np.random.default_rng(seed)

    def linear(outputs, inputs, bias=True):
        return Linear(rng.normal(size=(outputs, inputs)), rng.normal(size=outputs) if bias else None)

    def norm():
        return Norm(rng.normal(size=dim), rng.normal(size=dim), [0.5]) if norms else None

    made = []
    for n in range(layers):
        listed = [["2pi/3", "0"][: size // 2] for _ in range(heads)]
        rotary = Rotary.of(listed, kind) if kind is not None else None
        attention = Attention(
            linear(heads * size, dim),
            linear(heads * size, dim, bias=False),
            linear(heads * 3, dim),
            linear(dim, heads * 3),
            heads,
            rotary,
        )
        made.append(
            Layer(
                attention if n != 1 else None,
                FeedForward(linear(3, dim), linear(dim, 3, bias=False)) if n < 2 else None,
                norm() if n != 1 else None,
                norm() if n == 1 else None,
            )
        )
    embedding = rng.normal(size=(2 + len(alphabet), dim))
    model = Transformer(
        tuple(alphabet), embedding, tuple(made), linear(1, dim), precision, position=position, final_norm=norm(), **more
    )
    return rounded(model)


def equal(x, y):
    """Whether two parts of models are the same, but for the identity of arrays; signs of zeros count."""
    if isinstance(x, np.ndarray):
        return x.shape == y.shape and x.dtype == y.dtype and all(
            (a == b and np.copysign(1, float(a)) == np.copysign(1, float(b))) or (a != a and b != b) for a, b in zip(x.flat, y.flat))  # fmt: skip
    if isinstance(x, tuple):
        return len(x) == len(y) and all(map(equal, x, y))
    if type(x) is not type(y):
        return False
    if not isinstance(x, Pipeline) and hasattr(x, "__dataclass_fields__"):
        return all(equal(getattr(x, f.name), getattr(y, f.name)) for f in fields(x) if f.name != "_rotations")
    return x == y


def round_trip(model, tmp_path, ending="safetensors"):
    path = tmp_path / f"m.{ending}"
    save_model(model, path)
    again = load_model(path, strict=True)
    assert equal(again, model)
    return path, again


# -- what is written is read -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["safetensors", "json"])
@pytest.mark.parametrize("values", SETS, ids=SET_IDS)
def test_every_kind_of_value_set(tmp_path, values, ending):
    model = make(Precision.of(values), seed=1)
    path, again = round_trip(model, tmp_path, ending)
    assert again.precision.values.name == str(values).strip()
    first = path.read_bytes()
    save_model(again, path)
    assert path.read_bytes() == first


def _tables():
    return ArrayKind.of(
        np.float16([[1, 0], [0.5, 1], [0, 1]]), np.float16([[0, 1], [-0.0, 0.25], [1, 0]]), name="array:t.npy"
    )


KINDS = ["ideal", "phase", "table", "recurrence", "counter", windowed("phase", 7), windowed(windowed("ideal", 9), 3), _tables(),
         windowed(_tables(), 2), None, Pipeline.named("vllm"), Pipeline("mine", Stages(Chain("power", "fp16:up", "bf16", "e5m4"), position="bf16", operands="tf32:away"))]  # fmt: skip


@pytest.mark.parametrize("ending", ["safetensors", "json"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: getattr(kind, "name", str(kind)))
def test_every_kind_of_realization(tmp_path, kind, ending):
    model = make(
        Precision.of("fp16", score="fp32", softmax="bf16"), kind=kind, size=4, layers=3, norm_at="pre", mask="causal"
    )
    _, again = round_trip(model, tmp_path, ending)
    words = ["", "a"]
    assert run(again, words).values.tolist() == run(model, words).values.tolist()


@pytest.mark.parametrize("name", sorted(PIPELINES))
def test_every_pipeline_is_spelled_out(tmp_path, name):
    schedule = Schedule.conventional(10000, 4).scaled({"rope_type": "linear", "factor": 4})
    rotary = Rotary.of(schedule.angles, Pipeline.named(name, schedule), heads=1)
    base = make(Precision.of("bf16"), heads=1, size=4, layers=1)
    layer = replace(base.layers[0], attention=replace(base.layers[0].attention, rotary=rotary))
    _, again = round_trip(replace(base, layers=(layer,)), tmp_path)
    assert again.layers[0].attention.rotary.kind == rotary.kind


def test_a_place_of_the_users_own_set(tmp_path):
    kind = Pipeline("mine", Stages(table=grid([0, 1, "1/2", -1])))
    _, again = round_trip(make(Precision.of("fp16"), kind=windowed(kind, 9)), tmp_path)
    assert again.layers[0].attention.rotary.kind.inner.stages == kind.stages


@pytest.mark.parametrize(
    "scaling",
    [
        {"rope_type": "linear", "factor": 4},
        {"rope_type": "default"},
        {"rope_type": "proportional", "partial_rotary_factor": 0.5},
    ],
)
def test_scaled_schedules(tmp_path, scaling):
    schedule = Schedule.conventional(10000, 8).scaled(scaling)
    rotary = Rotary.of(schedule.angles, Pipeline.named("transformers", schedule), heads=1)
    base = make(Precision.of("bf16"), heads=1, size=2 * len(schedule.angles), layers=1, kind=None)
    layer = replace(base.layers[0], attention=replace(base.layers[0].attention, rotary=rotary))
    round_trip(replace(base, layers=(layer,)), tmp_path)


def test_positions_orders_and_letters(tmp_path):
    precision = Precision.of(
        "bf16", order="blocked:64", dot=Order("wide", accumulator=grid(["-1", 0, "1/2", 1])), linear="fp32"
    )
    position = Sinusoidal(tuple(conventional_angle(10000, d, 4) for d in (1, 2)), windowed("phase", 5))
    model = make(precision, alphabet=("a", "bc", "é \n", '"'), position=position)
    _, again = round_trip(model, tmp_path)
    assert str(again.precision) == str(precision)
    round_trip(make(Precision.of("fp16", fma=True, order="wide:fp32")), tmp_path, "json")
    round_trip(make(Precision.of("fp16"), layers=0), tmp_path)


def test_one_array_in_many_layers_is_stored_once(tmp_path):
    path, again = round_trip(make(Precision.of("fp16"), kind=_tables(), size=4, layers=3), tmp_path)
    names = {name for name, _ in deserialize(path.read_bytes()) if name.startswith("tables")}
    assert names == {"tables.0.cos", "tables.0.sin"}
    assert again.layers[0].attention.rotary.kind is again.layers[2].attention.rotary.kind


def test_special_numbers(tmp_path):
    model = make(Precision.of("e5m2"))
    special = np.array(model.embedding)
    special[0] = [np.inf, -np.inf, 1.0, -0.0]
    for ending in ("safetensors", "json"):
        round_trip(with_parameters(model, {"embedding": special}), tmp_path, ending)
    special[0, 2] = np.nan  # no value of F, so that strict refuses it; else it is kept, and named
    for ending in ("safetensors", "json"):
        save_model(with_parameters(model, {"embedding": special}), tmp_path / f"nan.{ending}")
        with pytest.raises(InputError, match=r"embedding\[0, 2\].*nan"):
            load_model(tmp_path / f"nan.{ending}", strict=True)
        with pytest.warns(RoundedWarning, match="nan"):
            assert np.isnan(load_model(tmp_path / f"nan.{ending}").embedding[0, 2])
    for values, number in (("fixed:8.4", np.nan), ("e2m1", np.inf), ("nf4:saturate", 0.3), ("fp16", 0.1)):
        other = make(Precision.of(values))
        array = np.array(other.embedding)
        array[1, 2] = number
        with pytest.raises(InputError, match=r"embedding: .*x\[6\]"):
            save_model(with_parameters(other, {"embedding": array}), tmp_path / "no.safetensors")
    assert not (tmp_path / "no.safetensors").exists()


def test_the_codes_are_those_of_the_format(tmp_path):
    model = make(Precision.of("bf16"))
    path, _ = round_trip(model, tmp_path)
    stored = {name: np.frombuffer(each["data"], np.uint16) for name, each in deserialize(path.read_bytes())}
    assert sorted(stored) == sorted(parameters(model))
    for name, array in parameters(model).items():
        assert (stored[name] == (array.astype(np.float32).view(np.uint32) >> 16).ravel()).all()


def test_the_bytes_do_not_depend_on_the_process(tmp_path):
    save_model(make(Precision.of("fp16"), kind=_tables(), size=4), tmp_path / "m.safetensors")
    code = (
        "import sys, hashlib; from fpsim.transformer.files.model_file import *\n"
        "save_model(load_model(sys.argv[1]), sys.argv[2]); print(hashlib.sha256(open(sys.argv[2], 'rb').read()).hexdigest())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code, tmp_path / "m.safetensors", tmp_path / f"{n}.safetensors"],
            check=True, capture_output=True, text=True, env=os.environ | {"PYTHONHASHSEED": str(n)},
        ).stdout
        for n in range(2)
    }  # fmt: skip
    assert len(seen) == 1
    assert (tmp_path / "0.safetensors").read_bytes() == (tmp_path / "m.safetensors").read_bytes()


# -- codes, value sets, angles -----------------------------------------------------------------------------------------


@st.composite
def value_sets(draw):
    """Sets of every kind, named ones and others."""
    if draw(st.booleans()):
        base = draw(
            st.sampled_from(
                ["fp16", "fp32", "fp64", "e4m3", "e5m2fnuz", "e2m1", "e3m9", "e11m60", "fixed:7.9", "fixed:70.2", "nf4"]
            )
        )
        return ValueSet.parse(base + draw(st.sampled_from(["", ":up", ":zero:saturate", ":away", ":odd"])))
    if draw(st.booleans()):
        entries = draw(st.lists(st.fractions(max_denominator=1000), min_size=1, max_size=20, unique=True))
        return grid(
            [0, *(each for each in entries if each)] if any(entries) else [0, 1],
            overflow=draw(st.sampled_from(["inf", "saturate", "nan"])),
            name="g",
        )
    p, emin, binades = draw(st.integers(1, 100)), draw(st.integers(-2000, 2000)), draw(st.integers(0, 300))
    found = float_format(
        p,
        emin,
        emin + binades,
        top=draw(st.integers(0, (1 << (p - 1)) - 1)),
        overflow=draw(st.sampled_from(["inf", "saturate", "nan"])),
    )
    return replace(found, ftz=draw(st.booleans()), rounding=draw(st.sampled_from(["even", "zero", "down"])))


@given(value_sets(), st.data())
@settings(max_examples=150)
def test_codes_and_sets_come_back(values, data):
    assert read_value_set(json.loads(json.dumps(value_set_form(values))), "F") == values
    at_ends = st.sampled_from([values.first, values.last, 0])
    indices = data.draw(st.lists(st.one_of(at_ends, st.integers(values.first, values.last)), min_size=1, max_size=10))
    kept = [values.value(n) for n in indices if n == 0 or abs(n) >= values.least_index] or [mpq(0)]
    if values.has_infinity:
        kept += [float("inf"), float("-inf")]
    array = arithmetic.round(values, np.array(kept, dtype=object))
    stored = to_codes(values, array)
    words = code_words(values)
    assert stored.dtype == code_type(values)
    assert stored.shape == ((len(kept), words) if words else (len(kept),))
    assert from_codes(values, stored).tolist() == array.tolist()
    plain = codes.encode(values, array)
    if not words:
        assert stored.tolist() == plain.tolist()
    else:
        assert [sum(int(word) << (64 * n) for n, word in enumerate(row)) for row in stored] == plain.tolist()


@pytest.mark.parametrize(
    "name", ["e4m3", "e5m2fnuz", "fp16", "e2m1", "e4m3fnuz", "e5m2:ftz", "fixed:8.4", "nf4", "e3m2"]
)
def test_every_code_is_read_as_its_reference_reads_it(name):
    values = ValueSet.parse(name)
    for code in range(1 << (16 if name == "fp16" else 8)):
        if name == "fp16" and code % 17:
            continue
        one = np.array([code], code_type(values))
        try:
            expected = codes.decode(values, one)
        except InputError:
            with pytest.raises(InputError):
                from_codes(values, one)
            continue
        assert equal(from_codes(values, one), expected), code


@pytest.mark.parametrize("angle", [Angle.parse("0"), Angle.parse("-0.1"), Angle.parse("22pi/7"), Angle.parse("1e-3000"), conventional_angle("5e5", 3, 128),
                                   power_angle(mpq(7, 3), mpq(-5, 6)).times(mpq(-2, 9)), power_angle(mpq(2), mpq(1, 2))])  # fmt: skip
def test_angles_come_back(angle):
    assert read_angle(angle_text(angle), "angle") == angle


def test_an_angle_without_a_text_is_unsupported(tmp_path):
    schedule = Schedule.conventional(10000, 64).scaled(
        {
            "rope_type": "llama3",
            "factor": 8,
            "low_freq_factor": 1,
            "high_freq_factor": 4,
            "original_max_position_embeddings": 4096,
        }
    )
    irrational = next(angle for angle in schedule.angles if angle.real is not None)
    with pytest.raises(UnsupportedError, match="no text"):
        save_model(
            make(Precision.of("fp16"), position=Sinusoidal((irrational,), Pipeline.named("vllm"))),
            tmp_path / "m.safetensors",
        )

    class Mine:
        name = "mine"

        def rotation(self, angle, values, pair=0):
            raise NotImplementedError

    with pytest.raises(UnsupportedError, match="Mine"):
        save_model(make(Precision.of("fp16"), kind=Mine()), tmp_path / "m.safetensors")


@pytest.mark.parametrize("text", ["2^(1/0)", "2^(1/9999)", "2^(99999999/3)", "0^(1/2)", "x", "", 3, None, "10^(1/2)^(1/2)",
                                  f"{'9' * 9000}^(-1999999/2)"])  # fmt: skip
def test_bad_angles(text):
    with pytest.raises(InputError):
        read_angle(text, "angle")


def test_precision_forms():
    for precision in (
        Precision.of("bf16", score="fp32", linear="e5m2"),
        Precision.of(grid([0, 1]), softmax="fp16", dot="wide:fp32", order="reverse", fma=True),
    ):
        assert read_precision(json.loads(json.dumps(precision_form(precision))), "p") == precision


# -- numbers that are no values of F ---------------------------------------------------------------------------------


def test_numbers_outside_f_are_rounded_with_a_warning_or_refused(tmp_path):
    path = tmp_path / "m.json"
    save_model(make(Precision.of("fp16"), layers=0, norms=False), path)
    form = json.loads(path.read_text())
    form["numbers"]["embedding"][1][2] = "1/3"
    form["numbers"]["classifier.bias"] = [0.1]
    path.write_text(json.dumps(form))
    with pytest.raises(InputError, match=r"embedding\[1, 2\].*0\.333.*value of fp16.*2 numbers of 2 parameters"):
        load_model(path, strict=True)
    with pytest.warns(RoundedWarning, match=r"2 numbers of 2 parameters.*fp16"):
        model = load_model(path)
    assert model.embedding[1, 2] == float(np.float16(1 / 3))
    assert model.classifier.bias.tolist() == [float(np.float16(0.1))]  # 0.1 is one tenth: the same here
    assert representable(model) is model


# -- files that are no models ----------------------------------------------------------------------------------------


def refused(path, text):
    with pytest.raises(InputError) as caught:
        load_model(path)
    assert text in str(caught.value), caught.value


def written(tmp_path, data, name="bad.safetensors"):
    path = tmp_path / name
    path.write_bytes(data)
    return path


class Bomb:
    def __reduce__(self):
        return (os.mkdir, (os.environ["FPCERT_BOMB"],))


def test_pickles_are_never_loaded(tmp_path, monkeypatch):
    bomb = tmp_path / "loaded"
    monkeypatch.setenv("FPCERT_BOMB", str(bomb))
    for protocol in range(6):
        refused(
            written(tmp_path, pickle.dumps(Bomb(), protocol)),
            "never loaded" if protocol >= 2 else "no safetensors file",
        )
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(Bomb()))
    refused(written(tmp_path, inner.getvalue(), "model.pt"), "never loaded")
    refused(written(tmp_path, pickle.dumps(Bomb()), "bad.json"), "JSON")
    assert not bomb.exists()


def test_what_torch_saves_is_refused(tmp_path):
    torch = pytest.importorskip("torch")
    torch.save({"weight": torch.zeros(3)}, tmp_path / "m.pt")
    refused(tmp_path / "m.pt", "never loaded")
    torch.save({"weight": torch.zeros(3)}, tmp_path / "old.pt", _use_new_zipfile_serialization=False)
    refused(tmp_path / "old.pt", "never loaded")


def test_what_is_no_plain_file(tmp_path):
    refused(tmp_path, "no plain file")
    refused(tmp_path / "absent.safetensors", "No such file")
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "no plain file")
    refused("/dev/zero", "no plain file")
    refused(written(tmp_path, b""), "an empty file")
    refused("nul\0.safetensors", "null")
    with pytest.raises(FpcertError, match="cannot write"):
        save_model(make(Precision.of("fp16")), tmp_path / "no" / "m.safetensors")
    with (tmp_path / "sparse.safetensors").open("wb") as file:
        file.truncate(1 << 40)
    refused(tmp_path / "sparse.safetensors", "no safetensors file")


def test_every_truncation_is_refused(tmp_path):
    path, _ = round_trip(make(Precision.of("fp16"), layers=1), tmp_path)
    data = path.read_bytes()
    for size in [*range(20), *range(20, len(data), 97), len(data) - 1]:
        with pytest.raises(InputError):
            load_model(written(tmp_path, data[:size]))
    with pytest.raises(InputError):
        load_model(written(tmp_path, data + b"\0"))


@pytest.mark.parametrize("seed", range(4))
def test_any_change_of_bytes_is_a_model_or_an_error(tmp_path, seed):
    rng = np.random.default_rng(seed)
    model = make(Precision.of(["e2m1", "fp16", "fp128", "nf4"][seed]), kind=_tables(), size=4, layers=1)
    save_model(model, tmp_path / "m.safetensors")
    data = (tmp_path / "m.safetensors").read_bytes()
    loaded = 0
    for _ in range(250):
        changed = bytearray(data)
        for place in rng.integers(0, rng.choice([12, len(data)]), size=rng.integers(1, 4)):
            changed[place] = rng.choice([rng.integers(256), ord("0"), ord('"'), changed[place] ^ 1])
        with suppress(FpcertError):
            load_model(written(tmp_path, changed))
            loaded += 1
    assert loaded < 250


def test_hostile_headers(tmp_path):
    def header(text):
        return struct.pack("<Q", len(text)) + text

    refused(written(tmp_path, struct.pack("<Q", 1 << 63) + b"{" + b" " * 100), "cut off")
    refused(written(tmp_path, header(b"{" + b" " * (17 << 20))), "header of at most")
    refused(written(tmp_path, header(b'{"a":' + b"[" * 100_000)), "JSON")
    refused(written(tmp_path, header(b'{"a":1,"a":2}')), "twice")
    refused(written(tmp_path, header(b'{"__metadata__":{"fpcert-model":3}}')), "metadata")
    refused(written(tmp_path, header(b"{}")), "description of a model")
    refused(
        written(tmp_path, header(b'{"a":{"dtype":"U8","shape":[4611686018427387904,4],"data_offsets":[0,0]}}')),
        "read as one",
    )
    refused(written(tmp_path, save({"a": np.zeros(3)}, {KEY: "[" * 100_000})), "no JSON")
    refused(written(tmp_path, save({"a": np.zeros(3)}, {KEY: "[]"})), "an object with the keys")


@pytest.fixture
def parts(tmp_path):
    """The description and the tensors of a good file, and how to write a changed one."""
    path, _ = round_trip(make(Precision.of("e2m1"), kind=_tables(), size=4), tmp_path)
    tensors = {
        name: np.frombuffer(each["data"], {"U8": np.uint8, "U16": np.uint16}[each["dtype"]])
        .reshape(each["shape"])
        .copy()
        for name, each in deserialize(path.read_bytes())
    }
    data = path.read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return (
        json.loads(header["__metadata__"][KEY]),
        tensors,
        lambda form, arrays: written(tmp_path, save(arrays, {KEY: json.dumps(form)})),
    )


def test_tensors_that_do_not_fit(parts):
    form, tensors, write = parts
    load_model(write(form, tensors))
    refused(
        write(form, {name: each for name, each in tensors.items() if name != "classifier.bias"}),
        "no tensor 'classifier.bias'",
    )
    refused(write(form, tensors | {"more": np.zeros(2, np.uint8)}), "'more'")
    refused(write(form, tensors | {"classifier.bias": np.zeros(1, np.uint16)}), "uint8")
    refused(write(form, tensors | {"classifier.bias": np.zeros(1, np.float32)}), "F32")
    refused(write(form, tensors | {"classifier.bias": np.zeros(2, np.uint8)}), "[1], as the description says")
    refused(write(form, tensors | {"classifier.bias": np.full(1, 200, np.uint8)}), "e2m1")
    wrong = tensors["embedding"].copy()
    wrong[1, 1] = 16
    refused(write(form, tensors | {"embedding": wrong}), "e2m1")
    infinite = tensors["tables.0.cos"].copy()
    infinite[0, 0] = 0x7C00
    refused(write(form, tensors | {"tables.0.cos": infinite}), "finite")


def _set(form, path, entry):
    *parents, last = path
    inner = form
    for each in parents:
        inner = inner[each]
    if entry is KeyError:
        del inner[last]
    else:
        inner[last] = entry


@pytest.mark.parametrize(("path", "entry", "text"), [
    (["version"], 2, "version"), (["version"], "1", "version"), (["alphabet"], ["a", "a"], "alphabet"), (["alphabet"], ["a"], "embedding"), (["alphabet"], "ab", "list"),
    (["alphabet"], ["a", 3], "text"), (["mask"], "none", "mask"), (["mask"], [], "mask"), (["norm_at"], None, "norm_at"), (["position"], 3, "position"), (["layers"], {}, "layers"),
    (["position"], {"angles": ["x"], "kind": "ideal", "first": 0}, "angle"), (["position"], {"angles": ["1"], "kind": "ideal", "first": 3}, "position"),
    (["position"], {"angles": ["1"], "kind": "ideal", "first": True}, "first"), (["layers", 0], {}, "attention"), (["layers", 0, "attention"], None, "layers.0.attention"),
    (["layers", 0, "attention", "heads"], 3, "3 lists"), (["layers", 0, "attention", "heads"], 1e99, "heads"), (["layers", 0, "attention", "rotary", "angles"], [["1", "1"]], "2 lists"),
    (["layers", 0, "attention", "rotary", "angles"], [["1"], ["1", "0"]], "rotary"), (["layers", 0, "attention", "rotary", "kind"], "array:/etc/passwd", "kind"),
    (["layers", 0, "attention", "rotary", "kind"], {"array": 1}, "1 tables"), (["layers", 0, "attention", "rotary", "kind"], {"array": "x"}, "array"),
    (["layers", 0, "attention", "rotary", "kind"], {"window": 0, "of": "ideal"}, "window"), (["layers", 0, "attention", "rotary", "kind"], {"window": 1, "of": {"window": 1, "of": {"window": 1, "of": {"window": 1, "of": {"window": 1, "of": "ideal"}}}}}, "window"),
    (["layers", 0, "attention", "rotary", "kind"], {"pipeline": "vllm"}, "source"), (["tables"], [], "tables.0"), (["tables"], [{"name": "a", "dtype": "fp16"}] * 2, "tables.1"), (["tables"], [{"name": "a", "dtype": "fp128"}], "binary64"), (["tables"], ["fp16"], "tables[0]"),
    (["tables"], [{"name": "a", "dtype": "grid:/etc/passwd"}], "binary64"), (["precision", "values"], "grid:/etc/passwd", "no other file"), (["precision", "values"], "fp15", "value set"), (["precision", "values"], "fp16", "uint16"),
    (["precision", "values"], "e2m1:stochastic=1", "stochastic"), (["precision", "fma"], 1, "true or false"), (["precision", "order"], "wide:grid:/etc/passwd", "object"), (["precision", "order"], {"wide": {"kind": "?"}}, "kind"),
    (["precision", "order"], None, "order"), (["precision", "score"], {"kind": "grid"}, "name"), (["arrays"], [], "arrays"), (["arrays", "embedding"], [4], "embedding"), (["arrays", "embedding"], [-1, 4], "embedding"),
    (["arrays", "embedding"], [1 << 32, 1 << 32], "at most"), (["arrays", "embedding"], [4, True], "embedding"), (["arrays", "embedding"], KeyError, "embedding"), (["precision"], KeyError, "precision"), (["extra"], 1, "extra"),
    (["precision", "values"], {"kind": "float", "name": "x", "overflow": "inf", "rounding": "even", "seed": None, "precision": "0x1000", "emin": "0x0", "last": "0x1", "ftz": False, "signed_zero": True, "layout": "none"}, "bits"),
    (["precision", "values"], {"kind": "float", "name": "x", "overflow": "inf", "rounding": "even", "seed": None, "precision": "0x3", "emin": "0x0", "last": "0x0", "ftz": False, "signed_zero": True, "layout": "none"}, "last"),
    (["precision", "values"], {"kind": "fixed", "name": "x", "overflow": "saturate", "rounding": "even", "seed": None, "precision": "0x3", "emin": "0x0", "last": "0x6", "ftz": False, "signed_zero": False, "layout": "two"}, "last"),
    (["precision", "values"], {"kind": "float", "name": "x", "overflow": "inf", "rounding": "even", "seed": None, "precision": "0x3", "emin": "0x0", "last": "0x6", "ftz": False, "signed_zero": False, "layout": "fn"}, "layout"),
    (["precision", "values"], {"kind": "float", "name": "x", "overflow": "inf", "rounding": "?", "seed": None, "precision": "0x3", "emin": "0x0", "last": "0x6", "ftz": False, "signed_zero": False, "layout": "none"}, "rounding"),
    (["precision", "values"], {"kind": "grid", "name": "x", "overflow": "inf", "rounding": "even", "seed": None, "values": ["1", "2"]}, "0"),
])  # fmt: skip
def test_descriptions_that_are_wrong(parts, path, entry, text):
    form, tensors, write = parts
    _set(form, path, entry)
    with pytest.raises((InputError, UnsupportedError)) as caught:
        load_model(write(form, tensors))
    assert text in str(caught.value), caught.value


@given(st.data())
@settings(max_examples=150)
def test_any_change_of_a_description_is_a_model_or_an_error(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("changed")
    schedule = Schedule.conventional(10000, 4).scaled({"rope_type": "linear", "factor": 4})
    kind = data.draw(st.sampled_from([_tables(), windowed("phase", 4), Pipeline.named("gpt-j", schedule)]))
    model = make(Precision.of(grid([0, 1, "1/2"])), kind=kind, size=4)
    path = folder / "m.json"
    if isinstance(kind, Pipeline):
        layers = tuple(
            replace(
                layer,
                attention=layer.attention
                and replace(layer.attention, rotary=Rotary.of(schedule.angles, kind, heads=2)),
            )
            for layer in model.layers
        )
        model = replace(model, layers=layers)
    save_model(model, path)
    form = json.loads(path.read_text())
    place, inner = [], form
    while isinstance(inner, dict | list) and inner and (not place or data.draw(st.integers(0, 5))):
        place.append(data.draw(st.sampled_from(sorted(inner) if isinstance(inner, dict) else list(range(len(inner))))))
        inner = inner[place[-1]]
    _set(
        form,
        place,
        data.draw(
            st.sampled_from(
                [KeyError, None, True, 0, -1, 0.5, 10**30, "", "x", "1", "fp16", "nan", [], {}, [[]], ["1"], {"a": 1}]
            )
        ),
    )
    path.write_text(json.dumps(form))
    with suppress(FpcertError):  # and no other error
        load_model(path, strict=True)


def test_json_models(tmp_path):
    path = tmp_path / "m.json"
    save_model(make(Precision.of("fp16"), layers=0), path)
    good = path.read_text()
    for change, text in ((good.replace('"numbers"', '"number"'), "numbers"), ("[]", "numbers"), ("", "JSON"), (good[:-20], "JSON"), (good.replace('"version": 1', '"version": NaN'), "number"),
                         (good.replace('"classifier.bias": [', '"classifier.bias": ["one", '), "classifier.bias"), (good.replace('"classifier.bias": [', '"classifier.bias": [[0], '), "classifier.bias"),
                         (good.replace('"classifier.bias": [', '"classifier.bias": {}, "x": ['), "classifier.bias"), (good.replace('"classifier.bias": [', '"classifier.bias": [[[[1]]]], "x": ['), "classifier.bias")):  # fmt: skip
        path.write_text(change)
        refused(path, text)
