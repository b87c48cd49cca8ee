"""The directive `public-names`: the public names of a package, from its `__all__`, in sections.

    .. public-names:: fpsim

       Angles and schedules: fpsim.angle fpsim.schedule

puts a name where the module that defines it is named, or a package above that module; what is named nowhere comes
last, under "Other", so that no public name can be missing; without sections there are no titles.  A class has the
public members that it defines itself.

A type in a signature is the private home of a public name (`fpsim.valueset.ValueSet`): references to it lead to the
public one.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode, nested_parse_with_titles

__all__ = ["setup"]

PACKAGES = ("fpsim", "fpsim.transformer", "certify")


def _entry(package: str, name: str) -> list[str]:
    thing = getattr(import_module(package), name)
    if inspect.isclass(thing):
        kind = "autoexception" if issubclass(thing, BaseException) else "autoclass"
        members = [] if issubclass(thing, BaseException) else ["   :members:"]
    elif callable(thing):
        kind, members = "autofunction", []
    else:
        kind, members = "autodata", ["   :no-value:"]
    return [f".. {kind}:: {package}.{name}", *members, ""]


def _home(package: str, name: str) -> str:
    """The module that defines a name, or the one that the package takes it from."""
    thing = getattr(import_module(package), name)
    homes: dict[str, str] = getattr(import_module(package), "_HOME", {})
    return homes.get(name) or str(getattr(thing, "__module__", package))


class PublicNames(SphinxDirective):
    """The names of one package."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Sort the names into the sections and document each."""
        package = self.arguments[0]
        sections: dict[str, list[str]] = {}
        prefixes: list[tuple[str, str]] = []
        for line in self.content:
            title, _, homes = line.partition(": ")
            sections[title] = []
            prefixes += [(home, title) for home in homes.split()]
        parent = package.rpartition(".")[0]
        elsewhere = set(import_module(parent).__all__ if parent else ())  # a name is documented once
        for name in sorted(set(import_module(package).__all__) - elsewhere, key=str.lower):
            home = _home(package, name)
            under = [pair for pair in prefixes if home == pair[0] or home.startswith(pair[0] + ".")]
            title = max(under, key=lambda pair: len(pair[0]))[1] if under else "Other" if prefixes else ""
            sections.setdefault(title, []).extend(_entry(package, name))
        lines: list[str] = []
        for title, entries in sections.items():
            heading = [title, "=" * len(title), ""] if title else []
            lines += [*heading, *entries] if entries else []
        node = nodes.section()
        node.document = self.state.document
        nested_parse_with_titles(self.state, StringList(lines, source=package), node)
        return node.children


def _to_public(app: Sphinx, env: Any, node: nodes.Element, shown: nodes.Element) -> nodes.Element | None:
    """The public name whose home a reference gives."""
    if node.get("refdomain") != "py":
        return None
    module, _, name = str(node.get("reftarget", "")).rpartition(".")
    for package in PACKAGES:
        if name in import_module(package).__all__ and (not module or module == _home(package, name)):
            found = env.domains["py"].objects.get(f"{package}.{name}")
            if found is not None:
                return make_refnode(app.builder, node["refdoc"], found.docname, found.node_id, shown, name)
    return None


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive, and the references."""
    app.add_directive("public-names", PublicNames)
    app.connect("missing-reference", _to_public)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
