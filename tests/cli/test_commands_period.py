"""`fpcert period`: keys, exit codes, messages."""

import json
import os

import pytest

from certify.head_effects import schedules

KEYS = {
    "theta", "verdict", "period", "preperiod", "eventual_period", "leaves_F_at", "proof", "witness", "first_collision",
    "first_collision_reason", "because", "component",
}  # fmt: skip


def answer(fpcert, *arguments):
    done = fpcert("period", *arguments, "--json")
    return done.code, json.loads(done.out)


def test_json_keys(fpcert):
    code, shown = answer(fpcert, "--theta", "2pi*3/7", "--dtype", "fp16", "--realize", "table", "--predicates")
    assert code == 0
    assert list(shown) == sorted(shown)
    assert (shown["component_periodic"], shown["period"], shown["dtype"], shown["realize"]) == (
        True,
        7,
        "fp16",
        "table",
    )
    (component,) = shown["components"]
    assert set(component) == KEYS
    assert (component["verdict"], component["proof"], component["period"], component["first_collision"]) == (
        "periodic",
        "finite-table",
        7,
        [0, 7],
    )
    assert {"component", "entry", "value", "modulus", "residues"} == set(shown["predicates"][0])
    assert "predicates" not in answer(fpcert, "--theta", "2pi/3")[1]


@pytest.mark.parametrize(("arguments", "key", "value"), [
    (("--theta", "1", "--dtype", "fp16", "--realize", "recurrence"), "preperiod", 505), (("--theta", "1", "--dtype", "fp16", "--realize", "recurrence"), "eventual_period", 44),
    (("--theta", "0.1", "--dtype", "bf16", "--realize", "recurrence"), "preperiod", 39), (("--theta", "1", "--realize", "phase"), "leaves_F_at", 65520),
    (("--theta", "1", "--dtype", "bf16", "--pipeline", "bf16-positions"), "first_collision", [256, 257]), (("--theta", "1", "--dtype", "fp16", "--realize", "counter"), "preperiod", 2048),
    (("--theta", "1"), "first_collision_reason", None), (("--theta", "0"), "period", 1), (("--theta", "1", "--window", "6"), "period", 6), (("--theta", "1", "--resonance"), "period", 6),
    (("--theta", "1", "--dtype", "fp64", "--realize", "phase"), "leaves_F_at", str(2**1024 - 2**970)), (("--theta", "1", "--dtype", "fp64", "--realize", "counter"), "preperiod", 2**53),
])  # fmt: skip
def test_components(fpcert, arguments, key, value):
    code, shown = answer(fpcert, *arguments)
    assert code == 0
    assert shown["components"][0][key] == value


def test_a_position_of_thousands_of_digits(fpcert):
    code, shown = answer(fpcert, "--theta", "1", "--dtype", "fp128", "--realize", "phase")
    assert code == 0
    assert len(shown["components"][0]["leaves_F_at"]) == 4933
    assert "e+4932" in fpcert("period", "--theta", "1", "--dtype", "fp128", "--realize", "phase").out


def test_a_whole_schedule(fpcert):
    code, shown = answer(fpcert, "--base", "10000", "--dim", "8", "--dtype", "bf16", "--pipeline", "transformers")
    assert (code, shown["component_periodic"], shown["period"], len(shown["components"])) == (0, False, None, 4)
    assert shown["pipeline"]["stages"]["phase"] == "fp32"
    assert [component["theta"] for component in shown["components"]] == ["1", "0.1", "0.01", "0.001"]


def test_angles_may_be_repeated_or_separated_by_commas(fpcert):
    once = fpcert("period", "--theta", "2pi/4, 2pi/6")
    twice = fpcert("period", "--theta", "2pi/4", "--theta", "2pi/6")
    assert once.out == twice.out
    assert once.out.startswith("Component-periodic with period 12")


def test_text_is_an_explanation(fpcert):
    out = fpcert("period", "--theta", "1, 2pi/4", "--dtype", "fp16", "--predicates").out
    for text in (
        "Not component-periodic (1 of 2 components)",
        "Lindemann",
        "irrational-angle",
        "2, 712",
        "c[1] = -1  <->  MOD(2,4)",
        "no predicates for pair 0",
    ):
        assert text in out
    out = fpcert("period", "--theta", "1", "--dtype", "fp32", "--positions", "100").out
    assert "first collision: none among the first 100 positions" in out


def test_undecided_is_exit_code_3(fpcert):
    code, shown = answer(fpcert, "--theta", "1", "--dtype", "fp32", "--realize", "recurrence", "--max-steps", "1000")
    assert (code, shown["component_periodic"], shown["components"][0]["verdict"]) == (3, None, "undecided")
    code, shown = answer(
        fpcert, "--theta", "1", "--theta", "0.01", "--dtype", "fp16", "--realize", "recurrence", "--max-steps", "2000"
    )
    assert (code, shown["component_periodic"]) == (0, False)  # the second one is open, but the first one settles it
    assert shown["components"][1]["verdict"] == "undecided"


def test_a_config_file(fpcert, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(
        json.dumps({"rope_theta": 10000, "head_dim": 8, "max_position_embeddings": 4096, "model_type": "llama"})
    )
    code, shown = answer(fpcert, "--config", str(path), "--dtype", "fp16")
    assert (code, len(shown["components"]), shown["schedule"]) == (0, 4, "llama")
    for content, word in (
        ('{"head_dim": 8}', "rope_theta"),
        ('{"rope_theta": 1e4, "head_dim": 8, "rope_scaling": {"rope_type": "odd"}}', "rope_type"),
        ("[]", "object"),
    ):
        path.write_text(content)
        done = fpcert("period", "--config", str(path))
        assert done.code == 2
        assert word in done.err


def test_an_array_file(fpcert, tmp_path):
    path = tmp_path / "blocks.csv"
    path.write_text("1,0\n0,1\n-1,0\n0,-1\n" * 3)
    code, shown = answer(fpcert, "--array", str(path))
    (component,) = shown["components"]
    assert (code, shown["component_periodic"], shown["period"], shown["dtype"]) == (0, None, None, "fp64")
    assert (component["theta"], component["verdict"], component["proof"], component["period"]) == (
        None,
        "window-only",
        "window",
        4,
    )
    assert component["first_collision"] == [0, 4]
    for content in ("1,0\n0\n", "1,nan\n", "", "1,2,3\n"):
        path.write_text(content)
        done = fpcert("period", "--array", str(path))
        assert done.code == 2
        assert "blocks.csv" in done.err
    assert fpcert("period", "--array", str(path), "--theta", "1").code == 2


def test_plot(fpcert, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "period.png"
    code, shown = answer(fpcert, "--theta", "1, 0.1", "--dtype", "bf16", "--realize", "counter", "--plot", str(picture))
    assert code == 0
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert len(shown["period_curve"]["rows"]) == 2
    assert fpcert("period", "--theta", "1", "--plot", str(tmp_path / "x.jpg")).code == 2


@pytest.mark.parametrize(("arguments", "text"), [
    ((), "--theta"), (("--theta", "1", "--base", "10000", "--dim", "8"), "one way"), (("--base", "10000"), "--dim"), (("--dim", "8"), "base"),
    (("--base", "10000", "--dim", "7"), "dim: cannot take 7"), (("--base", "10000", "--dim", "-8"), "dim"), (("--base", "10000", "--dim", "1e3"), "--dim"), (("--base", "x", "--dim", "8"), "base"),
    (("--theta", "2pi*3/0"), "theta"), (("--theta", "1.2.3"), "theta"), (("--theta", "nan"), "theta"), (("--theta", "1", "--realize", "table"), "theta"),
    (("--theta", "1", "--realize", "sometimes"), "realize"), (("--theta", "1", "--pipeline", "nonesuch"), "pipeline"), (("--theta", "1", "--dtype", "fp17"), "fp17"),
    (("--theta", "1", "--max-steps", "0"), "max_steps"), (("--theta", "1", "--positions", "-4"), "positions"), (("--theta", "1", "--window", "0"), "window"),
    (("--theta", "1", "--realize", "phase", "--pipeline", "vllm"), "pipeline"), (("--config", "/nonexistent/config.json"), "config.json"), (("--array", "/nonexistent/table.npy"), "table.npy"),
])  # fmt: skip
def test_bad_input_is_exit_code_2_with_a_message(fpcert, arguments, text):
    done = fpcert("period", *arguments)
    assert (done.code, done.out) == (2, "")
    assert text in done.err


def test_stochastic_rounding_is_exit_code_4(fpcert):
    done = fpcert("period", "--theta", "1", "--dtype", "fp16:stochastic=1")
    assert done.code == 4
    assert "stochastically" in done.err


@pytest.mark.parametrize(("arguments", "text"), [
    (("--theta", "1 2"), "cannot take 1 2"), (("--theta", "1", "--dtype", ""), "value set: cannot take ''"), (("--theta", "1", "--realize", ""), "realize: cannot take ''"),
    (("--theta", "1", "--realize", "ideal", "--pipeline", "vllm"), "--realize"), (("--theta", " "), "cannot take ' '"), (("--theta", "\x1b[31m1\n"), r"\x1b[31m1\n"),
    (("--config", ""), "config: cannot take ''"), (("--theta", "1e99999"), "1e+99999"), (("--theta", "1", "--effects", "9", "--k", "8"), "k: cannot take 8"),
    (("--theta", "1", "--effects", "9", "--C", "-1"), "C: cannot take -1"), (("--array", os.devnull), "null"), (("--theta", "1", "--certificate", "/nonexistent/c.json"), "/nonexistent"),
])  # fmt: skip
def test_more_bad_input(fpcert, arguments, text):
    done = fpcert("period", *arguments)
    assert (done.code, done.out) == (2, "")
    assert text in done.err


def test_numbers_of_thousands_of_digits(fpcert):
    code, shown = answer(fpcert, "--theta", "2pi/" + "9" * 5000)
    assert (code, shown["period"]) == (0, "9" * 5000)
    assert answer(fpcert, "--theta", "1", "--window", str(2**100))[1]["period"] == 2**100


@pytest.mark.parametrize("name", ["\x1b[31mred\n", "\ud800", "x" * 5000])
def test_any_name_in_a_config(fpcert, tmp_path, name):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"rope_theta": 10000, "head_dim": 4, "model_type": name}))
    done = fpcert("period", "--config", str(path))
    assert (done.code, done.err) == (0, "")
    assert all(line.isprintable() for line in done.out.splitlines())
    assert len(done.out.splitlines()[0]) < 250
    assert fpcert("period", "--config", str(path), "-o", str(tmp_path / "out")).code == 0
    assert (tmp_path / "out").read_text(encoding="utf-8") == done.out


@pytest.mark.parametrize(("arguments", "text"), [
    (("--theta", "1", "--effects", "99999999999"), "at most 16777216 positions"), (("--theta", "1", "--dtype", "fp128", "--effects", "9"), "binary64 does not hold"),
    (("--theta", "2pi/100000007", "--predicates"), "residues"), (("--theta", "1", "--window", "6", "--certificate"), "mod 6"),
])  # fmt: skip
def test_the_verdicts_stand_where_more_is_not_supported(fpcert, tmp_path, arguments, text):
    file = [str(tmp_path / "c.json")] if arguments[-1] == "--certificate" else []
    done = fpcert("period", *arguments, *file, "--json")
    assert done.code == 4
    assert text in done.err
    assert json.loads(done.out)["components"][0]["verdict"] in ("periodic", "non-periodic")
    assert not (tmp_path / "c.json").exists()


def test_the_verdicts_stand_when_ctrl_c_ends_the_effects(fpcert, monkeypatch):
    def interrupted(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(schedules, "head_effects", interrupted)
    done = fpcert("period", "--theta", "1", "--effects", "100", "--json")
    assert done.code == 130
    assert json.loads(done.out)["component_periodic"] is False


def test_effects(fpcert, tmp_path):
    code, shown = answer(
        fpcert, "--base", "1e6", "--dim", "128", "--dtype", "fp16", "--pipeline", "all-fp16", "--effects", "100"
    )
    (effects,) = shown["effects"]
    assert (code, effects["stored_subnormal"], effects["stored_zero"], effects["distinct_blocks"]) == (0, 19, 0, 100)
    path = tmp_path / "blocks.csv"
    path.write_text("1,0\n0,1\n-1,0\n0,-1\n" * 3)
    done = fpcert("period", "--array", str(path), "--effects", "12")
    assert done.code == 0
    assert "equal neighbours" in done.out
    assert "error" not in done.out
    assert fpcert("period", "--array", str(path), "--effects", "13").code == 2


def test_several_certificates(fpcert, tmp_path):
    file = tmp_path / "c.json"
    done = fpcert("period", "--theta", "2pi/7, 1", "--certificate", str(file))
    assert (done.code, done.err) == (0, f"wrote {tmp_path / 'c-1.json'}, {tmp_path / 'c-2.json'}\n")
    assert fpcert("check", str(tmp_path / "c-1.json"), str(tmp_path / "c-2.json")).code == 0
    assert fpcert("period", "--theta", "2pi/7, 1", "--certificate", str(file), "--quiet").err == ""
