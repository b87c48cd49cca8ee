"""The pipelines of real stacks, as data.

Facts: from the public sources of each stack, read in 2026-11; the figures of PyTorch are those of 2.13 on a CPU, and no
GPU was measured.  Every operation here is rounded correctly; the cos, sin, pow and exp of the stacks are not.  Of fp32
cosines, for arguments from 2^-12 to 2^20, those that differ from the correctly rounded ones are: PyTorch 3.83% (at most
0.606 ulp), glibc 1.30% (0.561 ulp), NumPy 13.9% (1.49 ulp), torch.compile 24 to 31% (2.40 ulp).  After a cast to bf16,
0 to 8 of the 524288 entries of a table (head dim 128, 4096 positions) still differ, to fp16 4 to 35.  Where the bits of
one framework matter, give its table with `array`.
"""

from __future__ import annotations

import difflib

from fpsim.errors import InputError
from fpsim.pipeline.pipeline import Pipeline
from fpsim.pipeline.stages import MODEL, Chain, Stages

__all__ = ["ALIASES", "PIPELINES", "find_pipeline", "pipeline_names"]

_TRIG = "cos, sin and pow are rounded correctly here; those of {} are not"
_TORCH = _TRIG.format("PyTorch (CPU, fp32: 3.83% of cosines differ, by at most 0.606 ulp)")
_GPU = "nothing was measured on a GPU"
_TF32 = (
    "TF32 is emulated: operands to the nearest tf32, ties to even, their product in fp32 (the conversion that GPUs "
    "have an instruction for takes ties away from 0: operands tf32:away in a pipeline of one's own); " + _GPU
)
_JAX = _TRIG.format("XLA") + ", and were not measured"

_PER_DTYPE = Stages(stored=MODEL, position=MODEL, phase=MODEL, trig=MODEL, attention=MODEL)


def _all(dtype: str) -> Stages:
    return Stages(Chain(), dtype, dtype, None, dtype, dtype, dtype, dtype, dtype)


_LISTED = (
    Pipeline(
        "transformers",
        Stages(),
        source="transformers 5.24, Llama and GPT-NeoX: an elementwise fp32 product of position and inverse "
        "frequency, cos and sin times the attention scaling in fp32, cast to the model's type, rotate-half in "
        "that type",
        notes=(_TORCH,),
    ),
    Pipeline(
        "transformers-bf16-buffer",
        Stages(stored="bf16"),
        source="transformers 5.24 after model.to(bfloat16), which casts the buffer of inverse frequencies of Llama "
        "and 12 more families; from_pretrained(dtype=...) keeps it in fp32",
        notes=(_TORCH,),
    ),
    Pipeline(
        "transformers-fp16-buffer",
        Stages(stored="fp16"),
        source="transformers 5.24 after model.to(float16): the buffer of inverse frequencies is cast as well",
        notes=(_TORCH,),
    ),
    Pipeline(
        "transformers-olmo",
        Stages(table="fp32", rotate="fp32"),
        source="transformers 5.24, OLMo: tables stay in fp32, and so does the application, cast once at its end",
        notes=(_TORCH,),
    ),
    Pipeline(
        "transformers-cohere",
        Stages(rotate="fp32"),
        source="transformers 5.24, Cohere: tables in the model's type, interleaved pairs, query and key turned in fp32",
        notes=(_TORCH,),
    ),
    Pipeline(
        "transformers-4.38",
        Stages(),
        source="transformers 4.38 to 4.57, Llama: the product is a matrix product with inner dimension 1, in fp32 "
        "the same numbers; see transformers-4.38-tf32",
        notes=(_TORCH,),
    ),
    Pipeline(
        "transformers-4.38-tf32",
        Stages(operands="tf32"),
        source="transformers 4.38 to 4.57, Llama, where TF32 is allowed for matrix products: both operands lose 13 "
        "bits",
        notes=(_TORCH, _TF32),
    ),
    Pipeline(
        "transformers-4.28",
        _PER_DTYPE,
        source="transformers 4.28 to 4.37, Llama and Mistral, the table that is rebuilt past the maximal length: "
        "positions in the type of the inverse frequencies, which is the model's after a cast, and so is "
        "everything that follows",
        notes=(_TORCH, "the table before it is rebuilt is that of transformers: cast from fp32"),
    ),
    Pipeline(
        "gpt-j",
        Stages(Chain("power", MODEL, MODEL, MODEL), stored=MODEL, table="fp32", rotate="fp32"),
        source="transformers, GPT-J built with a half-precision default type: 2d/dim, and so the inverse frequency, "
        "takes that type; positions and products are fp32, and so is the table, a plain attribute that no cast "
        "reaches, and its application; pairs interleaved",
        notes=(_TORCH,),
    ),
    Pipeline(
        "llama",
        Stages(table="fp32", rotate="fp32"),
        source="the original LLaMA code: a complex64 table from polar coordinates, applied in fp32, adjacent pairs",
        notes=(_TORCH,),
    ),
    Pipeline(
        "vllm",
        Stages(rotate="fp32", linear="position"),
        source="vLLM: a table computed in fp32 and cast to the model's type; the kernel applies it in fp32 and casts "
        "once",
        notes=(_TORCH, _GPU),
    ),
    Pipeline(
        "flash-attention",
        Stages(rotate="fp32"),
        source="flash-attention's rotary layer: inverse frequencies computed anew in fp32 whatever the model's type, "
        "table in the type of the query, applied in fp32",
        notes=(_TORCH, _GPU),
    ),
    Pipeline(
        "torchtune",
        Stages(table="fp32", rotate="fp32"),
        source="torchtune: inverse frequencies in fp32 as they are built, table in fp32, applied in fp32, interleaved",
        notes=(_TORCH,),
    ),
    Pipeline(
        "torchtune-cast",
        Stages(stored=MODEL, position=MODEL, phase=MODEL, table="fp32", rotate="fp32"),
        source="torchtune, a table built after the inverse frequencies were cast to the model's type: positions and "
        "products take it too, cos and sin are fp32 again",
        notes=(_TORCH,),
    ),
    Pipeline(
        "megatron",
        Stages(linear="position-product"),
        source="Megatron-LM: inverse frequencies are a plain attribute, which no cast reaches; positions are "
        "multiplied by 1/factor; cos and sin cast to the type of the tensor",
        notes=(_TORCH, _GPU),
    ),
    Pipeline(
        "transformer-engine",
        Stages(table="fp32", rotate="fp32", linear="position-product"),
        source="Megatron-LM with TransformerEngine's fused kernel: the phase as in megatron, sincos and application "
        "in fp32",
        notes=(_TRIG.format("the fused GPU kernel") + ", and were not measured",),
    ),
    Pipeline(
        "ggml-cpu",
        Stages(Chain("running-product"), table="fp32", rotate="fp32", linear="phase-product"),
        source="ggml (llama.cpp) on a CPU: the phase starts at the position and is multiplied by powf(base, -2/dim) "
        "from pair to pair; applied in fp32",
        notes=(_TRIG.format("the C library (glibc, fp32: 1.30% of cosines differ, by at most 0.561 ulp)"),),
    ),
    Pipeline(
        "ggml-cuda",
        Stages(Chain("scale-power"), table="fp32", rotate="fp32", linear="phase-product"),
        source="ggml (llama.cpp) with CUDA: the position times powf(scale, d), scale = powf(base, -2/dim); applied "
        "in fp32",
        notes=(_TRIG.format("CUDA") + ": " + _GPU,),
    ),
    Pipeline(
        "gemma-jax",
        Stages(Chain("divide"), table="fp32", rotate="fp32", linear="phase"),
        source="Gemma in JAX: the position over base^(2d/dim), a division; tables and application in fp32, cast at "
        "the end",
        notes=(_JAX,),
    ),
    Pipeline(
        "maxtext",
        Stages(Chain("divide")),
        source="MaxText: the position over the time scale base^(2d/dim), a division; cos and sin cast to the type of "
        "the input",
        notes=(_JAX,),
    ),
    Pipeline(
        "mlx",
        Stages(Chain("exp-log"), linear="position-product"),
        source="MLX on a CPU: inverse frequencies exp(-d log(base)/(dim/2)) in fp32, cos and sin cast to the type of "
        "the input",
        notes=(
            _TRIG.format("the C library") + ", and were not measured",
            "the Metal kernel (exp2, and a fast cos of lower accuracy) is not emulated",
        ),
    ),
    Pipeline(
        "bf16-positions",
        Stages(position="bf16"),
        source="position ids in bf16, all else as in transformers (gpt-neox#1016)",
        notes=(_TORCH,),
    ),
    Pipeline(
        "fp16-positions",
        Stages(position="fp16"),
        source="position ids in fp16, all else as in transformers (Megatron-LM#535)",
        notes=(_TORCH,),
    ),
    Pipeline(
        "all-bf16",
        _all("bf16"),
        source="inverse frequencies computed in fp32 and cast to bf16, all that follows in bf16 (candle#3520)",
        notes=(_TRIG.format("any framework"),),
    ),
    Pipeline(
        "all-fp16",
        _all("fp16"),
        source="inverse frequencies computed in fp32 and cast to fp16, all that follows in fp16",
        notes=(_TRIG.format("any framework"),),
    ),
    Pipeline(
        "tf32-product",
        Stages(operands="tf32"),
        source="the product of position and inverse frequency with operands in TF32, all else as in transformers",
        notes=(_TF32,),
    ),
)

PIPELINES: dict[str, Pipeline] = {pipeline.name: pipeline for pipeline in _LISTED}
"""The named pipelines, without a schedule."""

ALIASES: dict[str, str] = {
    "hf": "transformers",
    "huggingface": "transformers",
    "gpt-neox": "transformers",
    "deepseek-v3": "transformers",
    "olmo": "transformers-olmo",
    "cohere": "transformers-cohere",
    "command-r": "transformers-cohere",
    "mistral-4.28": "transformers-4.28",
    "gptj": "gpt-j",
    "llama-original": "llama",
    "deepseek-v2": "llama",
    "flash-attn": "flash-attention",
    "megatron-lm": "megatron",
    "llama.cpp": "ggml-cpu",
    "llama-cpp": "ggml-cpu",
    "ggml": "ggml-cpu",
    "gemma": "gemma-jax",
}
"""Other names: stacks that share the stages of another one, and other spellings."""

_ONNX = ("onnx", "onnxruntime", "onnx-runtime")


def pipeline_names() -> tuple[str, ...]:
    """The names of the pipelines, without the other names.

    >>> "vllm" in pipeline_names(), Pipeline.named("flash-attn").name
    (True, 'flash-attention')
    """
    return tuple(PIPELINES)


def find_pipeline(name: str) -> Pipeline:
    """The pipeline of this name or other name, in any case.  Raises `InputError`, naming near ones."""
    text = str(name).strip().lower()
    found = PIPELINES.get(ALIASES.get(text, text))
    if found is not None:
        return found
    if text in _ONNX:
        raise InputError(
            "pipeline", name, "given as array:FILE with the table: the RotaryEmbedding of ONNX takes the caller's"
        )
    near = difflib.get_close_matches(text, [*PIPELINES, *ALIASES], n=3, cutoff=0.5)
    hint = f" (did you mean {' or '.join(near)}?)" if near else ""
    raise InputError("pipeline", name, f"one of {', '.join(PIPELINES)}{hint}")
