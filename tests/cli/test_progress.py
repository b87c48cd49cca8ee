"""Progress appears on a terminal only, late, and leaves stdout alone."""

import os
import subprocess
import sys

import pytest

pty = pytest.importorskip("pty", reason="needs a terminal to look at")

WORK = """
import sys
import fpcert.progress
fpcert.progress.DELAY = {delay}
with fpcert.progress.Progress("pairs", total=4, quiet={quiet}) as progress:
    for _ in range(4):
        progress.advance()
print("rich" in sys.modules)
"""


COMPILATION = """
import fpcert.progress
import numba
import fpsim.compilation
with fpcert.progress.Progress("pairs", total=4, quiet={quiet}) as progress:
    numba.njit(lambda x: x + 1)(1)
print("rich" in __import__("sys").modules)
"""


def on_a_terminal(*, delay: float, quiet: bool, work: str = WORK, **environment: str) -> tuple[str, str]:
    """What the work prints on stdout (a pipe) and on stderr (a terminal)."""
    ours, theirs = pty.openpty()
    inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    child = subprocess.Popen(
        [sys.executable, "-c", work.format(delay=delay, quiet=quiet)],
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        env=inherited | {"TERM": "xterm-256color"} | environment,
    )
    os.close(theirs)
    out, _ = child.communicate(timeout=60)
    shown = b""
    try:
        while piece := os.read(ours, 4096):
            shown += piece
    except OSError:  # Linux reports the closed terminal as an error
        pass
    os.close(ours)
    return out, shown.decode()


def test_long_work_shows_a_bar():
    out, shown = on_a_terminal(delay=0, quiet=False)
    assert out == "True\n"
    assert "pairs" in shown
    assert "\x1b[38;5;" in shown


def test_no_color_is_honoured():
    _, shown = on_a_terminal(delay=0, quiet=False, NO_COLOR="1")
    assert "pairs" in shown
    assert "\x1b[3" not in shown


@pytest.mark.parametrize(("delay", "quiet"), [(60, False), (0, True)])
def test_short_or_quiet_work_shows_nothing(delay, quiet):
    assert on_a_terminal(delay=delay, quiet=quiet) == ("False\n", "")


def test_compiling_is_said_at_once():
    out, shown = on_a_terminal(delay=60, quiet=False, work=COMPILATION)
    assert out == "True\n"
    assert "compiling" in shown
    assert on_a_terminal(delay=60, quiet=True, work=COMPILATION) == ("False\n", "")


def test_nothing_without_a_terminal():
    done = subprocess.run(
        [sys.executable, "-c", WORK.format(delay=0, quiet=False)], check=True, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("False\n", "")
