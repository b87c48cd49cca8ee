"""What is installed is exactly the tree: no package forgotten, no stale file, no name that is not ours."""

import importlib
import json
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = {"fpsim": "fpsim", "certify": "certify", "cli": "fpcert"}  # folder: import name
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]


def import_path(file: Path) -> Path:
    """Where a file of the tree is installed, relative to site-packages."""
    folder, *rest = file.relative_to(ROOT).parts
    return Path(FOLDERS[folder], *rest)


def tree_files(pattern: str) -> list[Path]:
    return [file for folder in FOLDERS for file in sorted((ROOT / folder).rglob(pattern))]


def installed_files() -> dict[Path, Path]:
    """Every installed file of a package: its path relative to site-packages, and where it is."""
    ours = distribution("fpcert")
    direct = json.loads(ours.read_text("direct_url.json") or "{}")
    if direct.get("dir_info", {}).get("editable"):
        pytest.skip("an editable installation holds no files")
    return {
        Path(file): Path(str(file.locate()))
        for file in ours.files or ()
        if file.suffix != ".pyc" and not file.parts[0].endswith(".dist-info") and file.parts[0] != ".."
    }


def test_the_list_of_packages_is_the_tree():
    with_init = [".".join(import_path(file).parent.parts) for file in tree_files("__init__.py")]
    assert sorted(SETTINGS["packages"]) == sorted(with_init)
    assert SETTINGS["package-dir"] == {name: folder for folder, name in FOLDERS.items()}


def test_every_module_is_in_a_package():
    for file in tree_files("*.py"):
        assert (file.parent / "__init__.py").exists(), f"{file.parent.relative_to(ROOT)} has no __init__.py"


def test_every_package_is_typed():
    for folder in FOLDERS:
        assert (ROOT / folder / "py.typed").exists()


def test_the_installed_modules_are_those_of_the_tree():
    files = [file for file in tree_files("*") if file.is_file() and file.suffix != ".pyc"]
    expected = {import_path(file): file for file in files}
    installed = installed_files()
    assert sorted(installed) == sorted(expected)
    for path, file in expected.items():
        assert installed[path].read_bytes() == file.read_bytes(), (
            f"{path} is older or newer than the tree: install again"
        )


def test_the_command_is_installed():
    scripts = [entry for entry in distribution("fpcert").entry_points if entry.group == "console_scripts"]
    assert [(entry.name, entry.value) for entry in scripts] == [("fpcert", "fpcert.main:main")]


@pytest.mark.parametrize("file", tree_files("*.py"), ids=lambda file: str(file.relative_to(ROOT)))
def test_every_module_imports_under_its_name(file):
    parts = import_path(file).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    module = importlib.import_module(name)
    assert module.__name__ == name
    assert not Path(module.__file__).is_relative_to(ROOT / parts[0]), "the tree is tested, not what is installed"
