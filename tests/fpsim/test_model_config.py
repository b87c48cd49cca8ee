"""Schedules from config.json: the models that people run, and what is refused."""

import json
import math
import os

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from fpsim.errors import FpcertError, InputError
from fpsim.model_config import MAX_BYTES, read_config
from fpsim.model_layers import MAX_LAYERS
from fpsim.number import parse_number
from fpsim.real import Irrational
from fpsim.schedule import Schedule


@pytest.fixture
def write(tmp_path):
    def write(content):
        path = tmp_path / "config.json"
        if not isinstance(content, bytes | str):
            content = json.dumps(content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def llama(hidden, heads, theta, length, **more):
    return {
        "model_type": "llama",
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "rope_theta": theta,
        "max_position_embeddings": length,
        **more,
    }


LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
DEEPSEEK = {"type": "yarn", "factor": 40, "beta_fast": 32, "beta_slow": 1, "original_max_position_embeddings": 4096}

# name, configuration, rotated dims, base, greatest length, kind of scaling
MODELS = [
    ("Llama-2", llama(4096, 32, 1e4, 4096), 128, 10**4, 4096, None),
    ("Llama-3", llama(4096, 32, 500000.0, 8192, torch_dtype="bfloat16"), 128, 5 * 10**5, 8192, None),
    ("Llama-3.1-8B", llama(4096, 32, 500000.0, 131072, rope_scaling=LLAMA3), 128, 5 * 10**5, 131072, "llama3"),
    ("Llama-3.2-1B", llama(2048, 32, 500000.0, 131072, head_dim=64, rope_scaling={**LLAMA3, "factor": 32.0}), 64, 5 * 10**5, 131072, "llama3"),
    ("CodeLlama-7B", llama(4096, 32, 1000000, 16384), 128, 10**6, 16384, None),
    ("Mistral-7B", llama(4096, 32, 1e4, 4096, sliding_window=4096), 128, 10**4, 4096, None),
    ("Qwen3-8B", llama(4096, 32, 1000000, 40960, head_dim=128, rope_scaling=None), 128, 10**6, 40960, None),
    ("Gemma-7b", llama(3072, 16, 1e4, 8192, head_dim=256), 256, 10**4, 8192, None),
    ("phi-2", llama(2560, 32, 1e4, 2048, partial_rotary_factor=0.4), 32, 10**4, 2048, "partial"),
    ("Phi-3-mini-4k", llama(3072, 32, 1e4, 4096, original_max_position_embeddings=4096, rope_scaling=None), 96, 10**4, 4096, None),
    ("Phi-4-mini", llama(3072, 24, 1e4, 4096, partial_rotary_factor=0.75), 96, 10**4, 4096, "partial"),
    ("Pythia-1.4b", {"hidden_size": 2048, "num_attention_heads": 16, "rotary_pct": 0.25, "rotary_emb_base": 10000, "max_position_embeddings": 2048}, 32, 10**4, 2048, "partial"),
    ("GPT-NeoX", {"hidden_size": 6144, "num_attention_heads": 64, "rotary_pct": 0.25, "rotary_emb_base": 10000, "max_position_embeddings": 2048}, 24, 10**4, 2048, "partial"),
    ("GPT-J", {"model_type": "gptj", "n_embd": 4096, "n_head": 16, "rotary_dim": 64, "n_positions": 2048}, 64, 10**4, 2048, "partial"),
    ("Falcon-7b", {"hidden_size": 4544, "num_attention_heads": 71, "rope_theta": 10000.0, "max_position_embeddings": 2048}, 64, 10**4, 2048, None),
    ("OLMo-2-7B", llama(4096, 32, 500000, 4096), 128, 5 * 10**5, 4096, None),
    ("DeepSeek-V3", llama(7168, 128, 10000, 163840, qk_rope_head_dim=64, rope_scaling={**DEEPSEEK, "mscale": 1.0, "mscale_all_dim": 1.0}), 64, 10**4, 163840, "yarn"),
    ("SmolLM2-1.7B", llama(2048, 32, 130000, 8192), 64, 130000, 8192, None),
    ("Yi-6B", llama(4096, 32, 5000000.0, 4096), 128, 5 * 10**6, 4096, None),
    ("GLM-4", llama(4096, 32, 10000.0, 131072, head_dim=128, partial_rotary_factor=0.5), 64, 10**4, 131072, "partial"),
    ("gpt-oss", llama(2880, 64, 150000, 131072, head_dim=64, rope_scaling={"rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0, "original_max_position_embeddings": 4096, "truncate": False}), 64, 150000, 131072, "yarn"),
    ("Qwen2-VL", llama(3584, 28, 1000000.0, 32768, rope_scaling={"type": "mrope", "mrope_section": [16, 24, 24]}), 128, 10**6, 32768, "mrope"),
    ("flat rope_parameters", {"head_dim": 128, "max_position_embeddings": 4096, "rope_parameters": {"rope_type": "default", "rope_theta": 2000000.0}}, 128, 2 * 10**6, 4096, None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "dim", "base", "length", "kind"), MODELS)
def test_models(write, name, data, dim, base, length, kind):
    for source in (write({**data, "_name_or_path": name}), {**data, "_name_or_path": name}):
        config = read_config(source)
        assert list(config.schedules) == ["rope"]
        schedule = config.schedules["rope"]
        assert (schedule.dim, schedule.base, config.max_length) == (dim, base, length)
        assert len(schedule.angles) == dim // 2
        assert (None if schedule.scaling is None else schedule.scaling.kind) == kind
        assert config.name == name
        if kind in (None, "partial", "mrope"):
            assert schedule.angles == Schedule.conventional(base, dim).angles
        assert config.dtype == ("bf16" if name == "Llama-3" else None)


def test_attention_factors_of_models():
    factors = {name: read_config(data).schedules["rope"].attention_factor for name, data, *_ in MODELS}
    assert factors["DeepSeek-V3"] == 1
    lo, hi = factors["gpt-oss"].enclose(60)  # 1 + ln(32)/10
    assert mpq("1.34657359027") < lo < hi < mpq("1.34657359029")
    assert sum(isinstance(factor, Irrational) for factor in factors.values()) == 1


GEMMA3 = {
    "model_type": "gemma3", "torch_dtype": "bfloat16",
    "text_config": {
        "head_dim": 256, "rope_theta": 1000000.0, "rope_local_base_freq": 10000.0, "max_position_embeddings": 131072,
        "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
    },
}  # fmt: skip
GEMMA3_NESTED = {
    "text_config": {
        "head_dim": 256, "max_position_embeddings": 131072, "dtype": "bfloat16",
        "rope_parameters": {
            "full_attention": {"rope_theta": 1000000.0, "factor": 8.0, "rope_type": "linear"},
            "sliding_attention": {"rope_theta": 10000.0, "rope_type": "default"},
        },
    },
}  # fmt: skip


@pytest.mark.parametrize("data", [GEMMA3, GEMMA3_NESTED])
def test_global_and_local_layers(write, data):
    config = read_config(write(data))
    full, sliding = config.schedules["full_attention"], config.schedules["sliding_attention"]
    assert full.angles == tuple(angle.times(mpq(1, 8)) for angle in Schedule.conventional(10**6, 256).angles)
    assert sliding == Schedule.conventional(10**4, 256)
    assert (config.dtype, config.max_length, config.head_dim["full_attention"]) == ("bf16", 131072, 256)
    assert config.taken["text_config.head_dim"] == "256"


def test_layers_of_other_sizes():
    """Gemma 4: the global layers have a head of their own, of which a quarter turns; kinds of layers without rotation."""
    config = read_config({
        "head_dim": 256, "global_head_dim": 512, "max_position_embeddings": 131072,
        "rope_parameters": {
            "full_attention": {"rope_type": "proportional", "rope_theta": 1000000, "partial_rotary_factor": 0.25},
            "sliding_attention": {"rope_type": "default", "rope_theta": 10000}, "other": None,
        },
    })  # fmt: skip
    assert list(config.schedules) == ["full_attention", "sliding_attention"]
    full = config.schedules["full_attention"]
    assert [bool(angle) for angle in full.angles] == [True] * 64 + [False] * 192
    assert config.schedules["sliding_attention"].dim == 256
    assert config.notes == ("other: no rotation",)


def test_modern_bert():
    config = read_config(
        {"hidden_size": 768, "num_attention_heads": 12, "global_rope_theta": 160000.0, "local_rope_theta": 10000.0}
    )
    assert [schedule.base for schedule in config.schedules.values()] == [160000, 10000]
    assert config.max_length is None
    config = read_config(
        {"hidden_size": 768, "num_attention_heads": 12, "global_rope_theta": 160000.0, "local_rope_theta": None}
    )
    assert [schedule.base for schedule in config.schedules.values()] == [160000, 160000]


PHI3 = llama(
    3072, 32, 10000.0, 131072, original_max_position_embeddings=4096,
    rope_scaling={"type": "longrope", "short_factor": [1.0] * 48, "long_factor": [1.1] * 48},
)  # fmt: skip


def test_stateful_scalings_take_the_length(write):
    short, long = read_config(write(PHI3), length=4096), read_config(write(PHI3))
    assert short.schedules["rope"].angles == Schedule.conventional(10**4, 96).angles
    assert long.schedules["rope"].angles[0].coefficient == mpq(10, 11)
    assert long.notes == ("rope: the schedule for a sequence of 131072 positions; it changes with the length",)
    dynamic = llama(4096, 32, 1e4, 4096, rope_scaling={"type": "dynamic", "factor": 2.0})
    assert read_config(dynamic).schedules["rope"].angles == Schedule.conventional(10**4, 128).angles
    assert read_config(dynamic, length=8192).schedules["rope"].scaling["length"] == 8192


def test_the_outer_original_length_wins():
    inner = {**PHI3, "rope_scaling": {**PHI3["rope_scaling"], "original_max_position_embeddings": 8192}}
    config = read_config(inner)
    assert config.schedules["rope"].scaling["original_max_position_embeddings"] == 4096
    assert any("wins over" in note for note in config.notes)


def test_inner_keys_win_and_are_noted():
    config = read_config({
        "head_dim": 64, "rope_theta": 10000, "partial_rotary_factor": 1.0,
        "rope_parameters": {"rope_type": "default", "rope_theta": 500000, "partial_rotary_factor": 0.5},
    })  # fmt: skip
    assert (config.schedules["rope"].base, config.schedules["rope"].dim) == (500000, 32)
    assert sum("wins over" in note for note in config.notes) == 2


def test_decimals_are_exact_in_a_file(write):
    data = llama(128, 2, 10000.0, 64, rope_scaling={"type": "linear", "factor": 0.1, "finetuned": True})
    config = read_config(write(data))
    assert config.schedules["rope"].scaling["factor"] == mpq(1, 10)
    assert config.taken["rope_scaling.factor"] == "0.1"
    assert config.notes == ("rope: no part in the schedule: finetuned",)
    assert read_config(data).schedules["rope"].scaling["factor"] == parse_number(0.1) != mpq(1, 10)
    assert read_config(write('\ufeff{"rope_theta": 1e4, "head_dim": 4}')).schedules["rope"].base == 10000


def test_what_was_taken():
    taken = read_config(llama(4096, 32, 500000.0, 131072, rope_scaling=LLAMA3)).taken
    assert taken == {
        "hidden_size": "4096", "num_attention_heads": "32", "rope_theta": "500000", "max_position_embeddings": "131072",
        "rope_scaling.rope_type": "llama3", "rope_scaling.factor": "8", "rope_scaling.low_freq_factor": "1", "rope_scaling.high_freq_factor": "4",
        "rope_scaling.original_max_position_embeddings": "8192",
    }  # fmt: skip


def test_names_and_dtypes():
    base = {"rope_theta": 1e4, "head_dim": 4}
    assert read_config(base).name == "model"
    assert read_config({**base, "_name_or_path": "", "model_type": "llama"}).name == "llama"
    assert read_config({**base, "torch_dtype": "torch.float16"}).dtype == "fp16"
    unknown = read_config({**base, "dtype": "auto"})
    assert (unknown.dtype, unknown.notes) == (None, ("the dtype auto is none that is known here",))


GOOD = llama(4096, 32, 10000.0, 4096)


def without(*keys, **more):
    return {key: value for key, value in {**GOOD, **more}.items() if key not in keys}


@pytest.mark.parametrize(("data", "named"), [
    (without("rope_theta"), "rope_theta"), (without("hidden_size"), "head_dim"), (without("num_attention_heads"), "num_attention_heads"),
    ({**GOOD, "rope_theta": 0}, "rope_theta"), ({**GOOD, "rope_theta": -1.5}, "rope_theta"), ({**GOOD, "rope_theta": "10000"}, "rope_theta"),
    ({**GOOD, "rope_theta": {"full": 1}}, "rope_theta"), ({**GOOD, "rope_theta": True}, "rope_theta"), ({**GOOD, "rope_theta": 10**400}, "rope_theta"),
    ({**GOOD, "hidden_size": 4097}, "hidden_size"), ({**GOOD, "hidden_size": 32 * 3}, "hidden_size"), ({**GOOD, "num_attention_heads": 0}, "num_attention_heads"),
    ({**GOOD, "head_dim": 127}, "head_dim"), ({**GOOD, "head_dim": -2}, "head_dim"), ({**GOOD, "head_dim": 0}, "head_dim"), ({**GOOD, "head_dim": 1 << 40}, "head_dim"),
    ({**GOOD, "head_dim": 12.5}, "head_dim"), ({**GOOD, "max_position_embeddings": 0}, "max_position_embeddings"), ({**GOOD, "max_position_embeddings": [1]}, "max_position_embeddings"),
    ({**GOOD, "partial_rotary_factor": 0}, "partial_rotary_factor"), ({**GOOD, "partial_rotary_factor": 1.5}, "partial_rotary_factor"),
    ({**GOOD, "rotary_dim": 7}, "rotary_dim"), ({**GOOD, "rotary_dim": 256}, "rotary_dim"), ({**GOOD, "torch_dtype": 16}, "torch_dtype"),
    ({**GOOD, "rope_scaling": "linear"}, "rope_scaling"), ({**GOOD, "rope_scaling": [1]}, "rope_scaling"), ({**GOOD, "rope_scaling": {"factor": 2}}, "rope_scaling.rope_type"),
    ({**GOOD, "rope_scaling": {"type": "abacus"}}, "rope_scaling.type"), ({**GOOD, "rope_scaling": {"type": {}}}, "rope_scaling.type"),
    ({**GOOD, "rope_scaling": {"type": "linear"}}, "rope_scaling.factor"), ({**GOOD, "rope_scaling": {"type": "linear", "factor": "2"}}, "rope_scaling.factor"),
    ({**GOOD, "rope_scaling": {"type": "linear", "factor": 0}}, "rope_scaling.factor"), ({**GOOD, "rope_scaling": {**LLAMA3, "low_freq_factor": 5}}, "rope_scaling.high_freq_factor"),
    ({**GOOD, "rope_scaling": {"type": "longrope", "short_factor": [1] * 63, "long_factor": [1] * 64}}, "rope_scaling.short_factor"),
    ({**GOOD, "rope_scaling": {"type": "longrope", "short_factor": [1] * 64, "long_factor": [1] * 63 + [None]}}, r"rope_scaling.long_factor\[63\]"),
    ({**GOOD, "rope_scaling": {"type": "linear", "factor": 2}, "rope_parameters": {"rope_type": "default"}}, "rope_scaling"),
    ({**GOOD, "rope_parameters": {"full_attention": {"rope_type": "default"}, "rope_theta": 5}}, "rope_parameters.rope_theta"),
    ({**GOOD, "rope_parameters": {"full_attention": {"rope_type": "default"}, "rope_type": "default"}}, "rope_parameters.rope_type"),
    ({**GOOD, "rope_parameters": {"full_attention": {"rope_type": "odd"}}}, "rope_parameters.full_attention.rope_type"),
    ({**GOOD, "rope_parameters": {str(i): {"rope_type": "default"} for i in range(MAX_LAYERS + 1)}}, "rope_parameters"),
    ({"text_config": without("rope_theta")}, "text_config.rope_theta"), ({"text_config": 5}, "text_config"),
    ({**without("max_position_embeddings"), "rope_scaling": {"type": "dynamic", "factor": 2}}, "max_position_embeddings"),
])  # fmt: skip
def test_bad_configurations_are_named(write, data, named):
    with pytest.raises(InputError, match=f"^config, {named}: "):
        read_config(data)
    path = write(data)
    with pytest.raises(InputError, match=f"^{path}, {named}: "):
        read_config(path)


@pytest.mark.parametrize("content", [
    "", "x", "[1]", "5", "null", "{", '{"rope_theta": Infinity, "head_dim": 4}', '{"rope_theta": NaN, "head_dim": 4}', '{"rope_theta": -Infinity}',
    '{"rope_theta": 1e4, "head_dim": 4, "rope_theta": 1e5}', '{"rope_theta": 1e999999999, "head_dim": 4}', '{"rope_theta": 1e4000, "head_dim": 4}',
    '{"rope_theta": ' + "1" * 5000 + ', "head_dim": 4}', "[" * 200000, '{"a":' * 100000, b"\xff\xfe\x00", '{"rope_theta": 1e-400, "head_dim": 4}',
    '{"rope_theta": 0.' + "0" * 2000 + '1, "head_dim": 4}',
])  # fmt: skip
def test_bad_files(write, content):
    path = write(content)
    with pytest.raises(InputError, match=str(path)):
        read_config(path)


def test_files_that_cannot_be_read(tmp_path, write):
    huge = write(b" " * (MAX_BYTES + 1))
    os.mkfifo(tmp_path / "pipe")
    for path in (huge, tmp_path, tmp_path / "absent.json", tmp_path / "pipe", "a\0b"):
        with pytest.raises(InputError):
            read_config(path)


@pytest.mark.parametrize("length", [0, -1, True, 2.5, "8"])
def test_bad_lengths(length):
    with pytest.raises(InputError, match=r"^length: "):
        read_config(GOOD, length=length)


KEYS = [
    "rope_theta", "head_dim", "hidden_size", "num_attention_heads", "max_position_embeddings", "partial_rotary_factor", "rotary_dim", "rope_scaling",
    "rope_parameters", "torch_dtype", "text_config", "rope_type", "type", "factor", "short_factor", "mrope_section", "original_max_position_embeddings",
    "low_freq_factor", "high_freq_factor", "alpha", "truncate", "full_attention",
]  # fmt: skip
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 200),
    st.floats(),
    st.sampled_from(["", "yarn", "llama3", "linear", "longrope", "dynamic", "8"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(KEYS), inner, max_size=8)),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(KEYS), VALUES))
def test_any_object_gives_schedules_or_an_error_of_ours(data):
    try:
        config = read_config({"rope_theta": 10000, "head_dim": 8, "max_position_embeddings": 64, **data})
    except FpcertError:
        return
    assert config.schedules
    for schedule in config.schedules.values():
        assert all(angle.enclose(64)[0] <= angle.enclose(64)[1] for angle in schedule.angles)


@pytest.mark.parametrize("source", [None, 5, b"config.json", [], "", ["config.json"]])
def test_what_is_no_configuration_at_all(source):
    with pytest.raises(InputError, match=r"^config: cannot take .*the name of a JSON file, or a mapping"):
        read_config(source)


@pytest.mark.parametrize(("name", "shown"), [
    ("llama", "llama"), ("\x1b[31mred\n", r"\x1b[31mred\n"), ("\ud800", r"\ud800"), ("x" * 5000, "x" * 120 + "..."),
])  # fmt: skip
def test_a_name_is_fit_for_a_line(name, shown):
    config = read_config({"rope_theta": 10000, "head_dim": 4, "_name_or_path": name})
    assert config.name == shown


def test_names_of_layers_are_fit_for_a_line():
    layers = {"a\n\x1b": {"rope_type": "default", "\x1b": 3}, "b\r": None}
    config = read_config({"rope_theta": 10000, "head_dim": 4, "rope_parameters": layers})
    assert list(config.schedules) == [r"a\n\x1b"]
    assert all(text.isprintable() for text in config.notes)


def test_llama3_without_a_middle_band():
    """Llama 4 Scout: the two factors are equal."""
    scaling = {"rope_type": "llama3", "factor": 16, "low_freq_factor": 1, "high_freq_factor": 1}
    scaling["original_max_position_embeddings"] = 8192
    data = {"rope_theta": 500000, "head_dim": 128}
    plain = read_config(data).schedules["rope"].angles
    found = read_config({**data, "rope_scaling": scaling}).schedules["rope"].angles
    long = [math.tau * 500000 ** (d / 64) > 8192 for d in range(64)]
    assert sum(long) == 29
    expected = tuple(angle.times(mpq(1, 16)) if far else angle for angle, far in zip(plain, long, strict=True))
    assert found == expected


def test_long_lists_are_cut_in_texts():
    scaling = {"rope_type": "longrope", "short_factor": [1] * 64, "long_factor": [2] * 64, "factor": 4}
    scaling["original_max_position_embeddings"] = 4096
    data = {"rope_theta": 10000, "head_dim": 128, "max_position_embeddings": 16384, "rope_scaling": scaling}
    text = str(read_config(data).schedules["rope"].scaling)
    assert "long_factor [2, 2, 2, 2, ... 64 numbers]" in text
    assert len(text) < 250
