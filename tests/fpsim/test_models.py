"""The models that are known by name: every one reads, with the numbers of its published configuration."""

from __future__ import annotations

import pytest
from gmpy2 import mpq

import fpsim
from fpsim.errors import InputError
from fpsim.models.named import find_model, model_names, named_model, read_model
from fpsim.number import exact_text
from fpsim.pipeline import Pipeline

# What a reader of each config.json finds; "first" is the angle of the first pair, "-" nothing.
TABLE = """
model             layers             head  rotated  base   first  positions  scaling   dtype
llama-2-7b        rope               128   128      1e4    1      4096       -         fp16
llama-3-8b        rope               128   128      5e5    1      8192       -         bf16
llama-3.1-8b      rope               128   128      5e5    1      131072     llama3    bf16
llama-3.2-1b      rope               64    64       5e5    1      131072     llama3    bf16
llama-3.2-3b      rope               128   128      5e5    1      131072     llama3    bf16
codellama-7b      rope               128   128      1e6    1      16384      -         bf16
mistral-7b-v0.1   rope               128   128      1e4    1      32768      -         bf16
mistral-7b-v0.3   rope               128   128      1e6    1      32768      -         bf16
mixtral-8x7b      rope               128   128      1e6    1      32768      -         bf16
qwen2.5-7b        rope               128   128      1e6    1      131072     -         bf16
qwen3-8b          rope               128   128      1e6    1      40960      -         bf16
gemma-7b          rope               256   256      1e4    1      8192       -         bf16
gemma-2-9b        rope               256   256      1e4    1      8192       -         bf16
gemma-3-4b        full_attention     256   256      1e6    0.125  131072     linear    bf16
gemma-3-4b        sliding_attention  256   256      1e4    1      131072     -         bf16
phi-2             rope               80    32       1e4    1      2048       partial   fp16
phi-3-mini-4k     rope               96    96       1e4    1      4096       -         bf16
phi-4-mini        rope               128   96       1e4    1      131072     longrope  bf16
pythia-1.4b       rope               128   32       1e4    1      2048       partial   fp16
gpt-neox-20b      rope               96    24       1e4    1      2048       partial   fp16
gpt-j-6b          rope               256   64       1e4    1      2048       partial   -
falcon-7b         rope               64    64       1e4    1      2048       -         bf16
olmo-2-7b         rope               128   128      5e5    1      4096       -         fp32
deepseek-v2-lite  rope               64    64       1e4    1      163840     yarn      bf16
deepseek-v3       rope               64    64       1e4    1      163840     yarn      bf16
smollm2-1.7b      rope               64    64       1.3e5  1      8192       -         bf16
smollm2-135m      rope               64    64       1e5    1      8192       -         bf16
smollm3-3b        rope               128   128      5e6    1      65536      -         bf16
yi-6b             rope               128   128      5e6    1      4096       -         bf16
glm-4-9b          rope               128   64       1e4    1      131072     partial   bf16
command-r         rope               128   128      8e6    1      8192       -         fp16
gpt-oss-20b       rope               64    64       1.5e5  1      131072     yarn      bf16
"""
ROWS = [tuple(None if word == "-" else word for word in line.split()) for line in TABLE.strip().splitlines()[1:]]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {row[1]}")
def test_numbers(row):
    name, layer, head_dim, rotated, base, first, length, scaling, dtype = row
    read = read_model(name)
    schedule = read.schedules[layer]
    sizes = read.head_dim[layer], 2 * len(schedule.angles), read.max_length
    assert sizes == (int(head_dim), int(rotated), int(length))
    assert (schedule.base, str(schedule.angles[0])) == (fpsim.parse_number(base), first)
    assert (None if schedule.scaling is None else schedule.scaling.kind) == scaling
    assert read.dtype == dtype


def test_every_model_and_kind_of_layers_is_in_the_table():
    assert [row[:2] for row in ROWS] == [
        (name, layer) for name in model_names() for layer in read_model(name).schedules
    ]


@pytest.mark.parametrize(("name", "parameters"), [
    ("llama-3.1-8b", {"factor": 8, "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192}),
    ("llama-3.2-1b", {"factor": 32, "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192}),
    ("deepseek-v2-lite", {"factor": 40, "beta_fast": 32, "beta_slow": 1, "mscale": mpq(707, 1000), "original_max_position_embeddings": 4096}),
    ("deepseek-v3", {"factor": 40, "beta_fast": 32, "beta_slow": 1, "mscale": 1, "original_max_position_embeddings": 4096}),
    ("gpt-oss-20b", {"factor": 32, "beta_fast": 32, "beta_slow": 1, "truncate": False, "original_max_position_embeddings": 4096}),
])  # fmt: skip
def test_scalings(name, parameters):
    (schedule,) = read_model(name).schedules.values()
    assert {key: schedule.scaling[key] for key in parameters} == parameters


def test_every_model_has_a_source_and_a_pipeline():
    for name in model_names():
        model = named_model(name)
        assert model.name == name == model.read().name
        assert model.source.startswith(model.repository)
        assert "/" in model.repository
        assert Pipeline.named(model.pipeline).source
        assert model.note is None or any(model.note in note for note in model.read().notes)
        assert all(isinstance(value, int | str | bool | dict | type(mpq())) for value in model.config.values())
    assert {name: named_model(name).pipeline for name in ("gpt-j-6b", "command-r", "olmo-2-7b")} == {
        "gpt-j-6b": "gpt-j", "command-r": "transformers-cohere", "olmo-2-7b": "transformers-olmo",
    }  # fmt: skip


def test_decimals_are_exact():
    assert exact_text(named_model("phi-4-mini").config["rope_scaling"]["long_factor"][1]) == "1.118320672"


def test_a_length_chooses_the_factors_of_longrope():
    short, long = (read_model("phi-4-mini", length=length).schedules["rope"] for length in (4096, 4097))
    assert short.angles[40] != long.angles[40]


def test_names_in_any_case_and_repositories():
    assert find_model(" Llama-3.1-8B ").name == find_model("meta-llama/llama-3.1-8b").name == "llama-3.1-8b"
    assert find_model("nobody/nothing") is None


def test_an_unknown_name_lists_the_known_ones_near_ones_first():
    for ask in (named_model, read_model):
        with pytest.raises(InputError, match=r"cannot take llama-3\.1; .*or one of llama-3\.1-8b, ") as caught:
            ask("llama-3.1")
        assert all(name in str(caught.value) for name in model_names())


def test_a_file_wins_over_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qwen3-8b").write_text('{"rope_theta": 100, "head_dim": 8}')
    assert len(read_model("qwen3-8b").schedules["rope"].angles) == 4
    assert len(read_model(tmp_path / "qwen3-8b").schedules["rope"].angles) == 4


@pytest.mark.parametrize("file", ["missing.json", "/nowhere/config", "./config"])
def test_what_looks_like_a_file_is_one(file):
    with pytest.raises(InputError, match="readable JSON file"):
        read_model(file)


def test_a_mapping_and_what_is_nothing():
    assert read_model({"rope_theta": 100, "head_dim": 8}).name == "model"
    for wrong in ("", 5, None, []):
        with pytest.raises(InputError, match="config"):
            read_model(wrong)
