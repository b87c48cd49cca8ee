"""`fpcert audit`: what it prints, writes and draws, and how it ends."""

import json

import pytest

SMALL = {"rope_theta": 100, "head_dim": 8, "max_position_embeddings": 300, "torch_dtype": "bfloat16"}


@pytest.fixture
def config(tmp_path):
    """A config.json of a small model; `config(rope_theta=None)` leaves a key out."""

    def write(name="config.json", **changes):
        entries = {key: value for key, value in {**SMALL, **changes}.items() if value is not None}
        (tmp_path / name).write_text(json.dumps(entries))
        return str(tmp_path / name)

    return write


def test_a_model_that_breaks(fpcert, config):
    done = fpcert("audit", config(), "--pipeline", "bf16-positions", "--json")
    shown = json.loads(done.out)
    assert (done.code, done.err) == (0, "")
    assert done.out == json.dumps(shown, sort_keys=True) + "\n"
    assert (shown["breaks_at"], shown["holds"], shown["length"], shown["dtype"]) == (257, False, 300, "bf16")
    assert shown["advice"]["keep_in_fp32"] == ["position"]
    assert shown["C"] == str(2**125)
    (head,) = shown["heads"]
    assert (head["first_failure"]["i"], head["first_equal"], head["equal_neighbours"]) == (257, 256, 21)
    assert [one["component"] for one in shown["components"]] == [0, 1, 2, 3]
    assert shown["components"][0]["range"]["status"] == "exact"
    text = fpcert("audit", config(), "--pipeline", "bf16-positions")
    assert text.code == 0
    assert text.out.startswith("The previous-token head breaks at position 257:")
    assert "Keep the position in fp32: the head then holds at all 300 positions" in text.out


def test_a_name(fpcert):
    done = fpcert("audit", "gpt-neox-20b", "--length", "50", "--json")
    shown = json.loads(done.out)
    assert (done.code, shown["model"], shown["holds"], len(shown["components"])) == (0, "gpt-neox-20b", True, 12)
    assert shown["source"].startswith("EleutherAI/gpt-neox-20b")


def test_files(fpcert, config, tmp_path):
    picture, out = (tmp_path / name for name in ("audit.svg", "audit.json"))
    done = fpcert("audit", config(), "--plot", str(picture), "--json", "-o", str(out))
    assert (done.code, done.out) == (0, "")
    assert json.loads(out.read_text())["holds"] is True
    assert "component" in picture.read_text()


def test_the_page_in_a_browser(fpcert, config, tmp_path, browser):
    page = tmp_path / "audit.html"
    assert fpcert("audit", config("a<b>.json"), "--pipeline", "all-bf16", "--html", str(page), "--quiet").code == 0
    text = page.read_text()
    assert "default-src 'none'" in text
    assert "<script src" not in text
    found = browser(text, "result.headings = texts('h2'); result.rows = cells().length; result.inks = colors().size;")
    assert found["errors"] == []
    assert found["loaded"] == 0
    assert found["headings"] == ["What to change", "Heads that look one position back", "Components", "Notes"]
    assert found["rows"] > 5
    assert found["inks"] > 2


@pytest.mark.parametrize(("arguments", "says"), [
    (("llama-3.1",), "one of llama-3.1-8b, "), (("no-such-model",), "llama-2-7b"), (("",), "config"), (("/nonexistent/config.json",), "readable"),
    (("CONFIG", "--length", "0"), "length: cannot take 0"), (("CONFIG", "--length", "99999999999"), "at most 16777216"), (("CONFIG", "--length", "x"), "--length"),
    (("CONFIG", "--pipeline", "transfomer"), "did you mean transformers"), (("CONFIG", "--dtype", "fp17"), "fp17"), (("CONFIG", "--realize", "phase"), "--realize"),
    (("CONFIG", "--plot", "audit.jpg"), ".png"), (("CONFIG", "--html", "/nonexistent/audit.html"), "/nonexistent"), ((), "MODEL"),
])  # fmt: skip
def test_wrong_arguments(fpcert, config, arguments, says):
    done = fpcert("audit", *(config() if each == "CONFIG" else each for each in arguments))
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_each_file_has_a_name_of_its_own(fpcert, config, tmp_path):
    """Nothing is written twice, or over the configuration; a device takes everything."""
    model, page = config(), str(tmp_path / "page.html")
    before = (tmp_path / "config.json").read_bytes()
    for arguments in (("--html", model), ("--html", page, "-o", str(tmp_path / "." / "page.html"))):
        done = fpcert("audit", model, *arguments)
        assert (done.code, done.out) == (2, "")
        assert "is given twice" in done.err
    assert (tmp_path / "config.json").read_bytes() == before
    assert not (tmp_path / "page.html").exists()
    assert fpcert("audit", model, "--length", "20", "--html", "/dev/null", "-o", "/dev/null").code == 0


@pytest.mark.parametrize(("content", "says"), [
    ("{", "JSON that does not parse"), ("[1]", "an object"), ("", "JSON"), ('{"head_dim": 8, "max_position_embeddings": 9}', "rope_theta"),
    ('{"rope_theta": 100, "head_dim": 8}', "max_position_embeddings"), ('{"rope_theta": 100, "head_dim": 7, "max_position_embeddings": 9}', "even"),
    ('{"rope_theta": 100, "head_dim": 8, "max_position_embeddings": 1}', "length"),
])  # fmt: skip
def test_wrong_files(fpcert, tmp_path, content, says):
    path = tmp_path / "config.json"
    path.write_text(content)
    done = fpcert("audit", str(path))
    assert (done.code, done.out) == (2, "")
    assert says in done.err


@pytest.mark.parametrize("dtype", ["fp128", "fp16:stochastic=3"])
def test_unsupported(fpcert, config, dtype):
    done = fpcert("audit", config(), "--dtype", dtype)
    assert (done.code, done.out) == (4, "")
    assert dtype in done.err


def test_undecided_and_interrupted(fpcert, config, monkeypatch):
    def stop(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("certify.auditing.compute.layer_head", stop)
    done = fpcert("audit", config(), "--json")
    shown = json.loads(done.out)
    assert (done.code, shown["interrupted"], shown["undecided"], shown["heads"], shown["advice"]) == (
        3,
        True,
        True,
        [],
        None,
    )
    assert shown["components"][3]["angle_error"] is not None


def test_period_takes_a_name_too(fpcert):
    done = fpcert("period", "--config", "pythia-1.4b", "--dtype", "fp16", "--json")
    shown = json.loads(done.out)
    assert (done.code, len(shown["components"])) == (0, 16)
    assert "pythia-1.4b" in shown["schedule"]
