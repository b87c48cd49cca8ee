"""How Sphinx builds the pages: `sphinx-build -W docs docs/_build`, with the extra `docs` installed.

Nothing is fetched from the network, neither by the build nor by the pages: formulas are MathML, notebooks are shown
with the outputs that are stored in them.
"""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))  # the folder of the extensions that are this project's own

project = "fpcert"
author = "The fpcert authors"
copyright = author  # noqa: A001 - the name that Sphinx reads
release = version = installed_version("fpcert")

extensions = [
    "myst_nb",  # Markdown pages and notebooks
    "sphinx.ext.autodoc",
    # ours, in _ext
    "commands",
    "docstrings",
    "generated_tables",
    "mathml",
    "public_names",
]
exclude_patterns = [
    "_build",
    "_ext",
    "jupyter_execute",  # where myst_nb puts copies of the notebooks, beside `_build`: no pages when it is built again
    "notebooks/README.md",
    "notebooks/.ipynb_checkpoints",
]
nb_execution_mode = "off"  # tests/notebooks runs them and compares what they print
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
smartquotes = False  # `--g` in a help text is an option, not a dash
nitpicky = True
# Types in signatures that have no page here: of libraries, and of modules that are not public.
nitpick_ignore_regex = [("py:.*", ".*")]

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"fpcert {version}"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
