"""Settings that every test shares, and a web browser."""

import base64
import hashlib
import json
import re
import shutil
import subprocess

import pytest
from hypothesis import settings

# The first call of a kernel compiles it, which no deadline per example can allow for.  The examples are the same ones each
# time, so that what a change is judged by is the change; `--hypothesis-profile random` draws new ones.
settings.register_profile("fpcert", deadline=None, print_blob=True, derandomize=True)
settings.register_profile("random", deadline=None, print_blob=True, derandomize=False)
settings.load_profile("fpcert")

# What the script of a test in a page can use.  A page is ready when its own script says so.
LOOKING = """
const errors = [], pause = time => new Promise(done => setTimeout(done, time));
for (const kind of ["error", "unhandledrejection", "securitypolicyviolation"])
  window.addEventListener(kind, event => errors.push(`${kind}: ${event.message ?? event.reason ?? event.blockedURI}`));
for (const kind of ["error", "warn"]) console[kind] = (...parts) => errors.push(`${kind}: ${parts.join(" ")}`);
const everything = root => [...root.querySelectorAll("*")].flatMap(one => [one, ...(one.shadowRoot ? everything(one.shadowRoot) : [])]);
const find = (selector, root = document) => everything(root).filter(one => one.matches(selector));
const texts = (selector, root) => find(selector, root).map(one => one.textContent);
const cells = () => find(".slick-row").sort((a, b) => a.offsetTop - b.offsetTop).map(row => texts(".slick-cell", row));
const colors = () => new Set(find("canvas").filter(one => one.width && one.height).flatMap(canvas => {
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data, found = [];
  for (let i = 0; i < pixels.length; i += 4) found.push(pixels.slice(i, i + 3).join(" "));
  return found;
}));
const choose = async (selector, value) => {
  const box = document.querySelector(selector);
  if (typeof value === "boolean") box.checked = value; else box.value = value;
  for (const kind of ["input", "change"]) box.dispatchEvent(new Event(kind));
  await pause(300);
};
window.addEventListener("load", async () => {
  while (document.body.dataset.ready !== "yes" && !errors.length) await pause(50);
  await pause(300);
  const result = {};
  try { await look(result); } catch (error) { errors.push(String(error)); }
  result.loaded = performance.getEntriesByType("resource").length;
  document.title = JSON.stringify({ ...result, errors });
});
"""


@pytest.fixture
def browser(tmp_path):
    """`browser(page, script)`: the page in Chromium without a network, and what the script finds there.

    The script, which is let into the page by its hash, is the body of `async function look(result)`.  The answer is
    `result` with `errors`, what went wrong in the page, and `loaded`, the number of files that it loaded.
    """
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("needs Chromium")

    def look(page, script):
        script = f"async function look(result) {{ {script} }}\n{LOOKING}"
        name = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert page.count("script-src ") == page.count("<style>") == 1
        page = page.replace("script-src ", f"script-src 'sha256-{name}' ")
        file = tmp_path / "looked-at.html"
        file.write_text(page.replace("<style>", f"<script>{script}</script><style>"), encoding="utf-8")
        done = subprocess.run(
            [
                program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1280,1600",
                f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=20000", "--dump-dom", file.as_uri(),
            ],
            check=True, capture_output=True, text=True, timeout=100,
        )  # fmt: skip
        title = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)[1]
        for text, sign in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
            title = title.replace(text, sign)
        return json.loads(title)

    return look
