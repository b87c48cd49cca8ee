"""The models that are known by name: every one reads, with the numbers of its published configuration."""

from __future__ import annotations

import pytest
from gmpy2 import mpq

import fpsim
from fpsim.errors import InputError
from fpsim.models.named import find_model, model_names, named_model, read_model
from fpsim.number import exact_text
from fpsim.pipeline import Pipeline

# name: head dims, rotated dims, base, positions, scaling, data type
MODELS = {
    "llama-2-7b": (128, 128, "1e4", 4096, None, "fp16"),
    "llama-3-8b": (128, 128, "5e5", 8192, None, "bf16"),
    "llama-3.1-8b": (128, 128, "5e5", 131072, "llama3", "bf16"),
    "llama-3.2-1b": (64, 64, "5e5", 131072, "llama3", "bf16"),
    "llama-3.2-3b": (128, 128, "5e5", 131072, "llama3", "bf16"),
    "codellama-7b": (128, 128, "1e6", 16384, None, "bf16"),
    "mistral-7b-v0.1": (128, 128, "1e4", 32768, None, "bf16"),
    "mistral-7b-v0.3": (128, 128, "1e6", 32768, None, "bf16"),
    "mixtral-8x7b": (128, 128, "1e6", 32768, None, "bf16"),
    "qwen2.5-7b": (128, 128, "1e6", 131072, None, "bf16"),
    "qwen3-8b": (128, 128, "1e6", 40960, None, "bf16"),
    "gemma-7b": (256, 256, "1e4", 8192, None, "bf16"),
    "gemma-2-9b": (256, 256, "1e4", 8192, None, "bf16"),
    "phi-2": (80, 32, "1e4", 2048, "partial", "fp16"),
    "phi-3-mini-4k": (96, 96, "1e4", 4096, None, "bf16"),
    "phi-4-mini": (128, 96, "1e4", 131072, "longrope", "bf16"),
    "pythia-1.4b": (128, 32, "1e4", 2048, "partial", "fp16"),
    "gpt-neox-20b": (96, 24, "1e4", 2048, "partial", "fp16"),
    "gpt-j-6b": (256, 64, "1e4", 2048, "partial", None),
    "falcon-7b": (64, 64, "1e4", 2048, None, "bf16"),
    "olmo-2-7b": (128, 128, "5e5", 4096, None, "fp32"),
    "deepseek-v2-lite": (64, 64, "1e4", 163840, "yarn", "bf16"),
    "deepseek-v3": (64, 64, "1e4", 163840, "yarn", "bf16"),
    "smollm2-1.7b": (64, 64, "1.3e5", 8192, None, "bf16"),
    "smollm2-135m": (64, 64, "1e5", 8192, None, "bf16"),
    "smollm3-3b": (128, 128, "5e6", 65536, None, "bf16"),
    "yi-6b": (128, 128, "5e6", 4096, None, "bf16"),
    "glm-4-9b": (128, 64, "1e4", 131072, "partial", "bf16"),
    "command-r": (128, 128, "8e6", 8192, None, "fp16"),
    "gpt-oss-20b": (64, 64, "1.5e5", 131072, "yarn", "bf16"),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_numbers(name):
    head_dim, rotated, base, length, scaling, dtype = MODELS[name]
    read = read_model(name)
    (schedule,) = read.schedules.values()
    assert (read.head_dim["rope"], 2 * len(schedule.angles), read.max_length) == (head_dim, rotated, length)
    assert schedule.base == fpsim.parse_number(base)
    assert (None if schedule.scaling is None else schedule.scaling.kind) == scaling
    assert read.dtype == dtype
    assert str(schedule.angles[0]) == "1"


def test_gemma_3_has_two_kinds_of_layers():
    read = read_model("gemma-3-4b")
    assert {
        layer: (schedule.base, len(schedule.angles), str(schedule.angles[0]))
        for layer, schedule in read.schedules.items()
    } == {
        "full_attention": (10**6, 128, "0.125"),
        "sliding_attention": (10**4, 128, "1"),
    }
    assert (read.max_length, read.dtype) == (131072, "bf16")


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
    names = model_names()
    assert set(names) == {*MODELS, "gemma-3-4b"}
    for name in names:
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
