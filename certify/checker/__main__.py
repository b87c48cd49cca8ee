"""`python -m certify.checker FILE...`, or `python -I checker FILE...` with a copy of this folder alone.

Run as a folder, this file is no part of a package, and the folder stands on the path of imports, where a file of it
could hide a module of the standard library.  So it is taken off the path, and loaded as a package by its own name.
"""

import sys

if __package__:
    from .command import main
else:
    folder = sys.path.pop(0)
    from importlib import import_module
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("certificate_checker", f"{folder}/__init__.py", submodule_search_locations=[folder])
    if spec is None or spec.loader is None:
        sys.exit(70)
    package = module_from_spec(spec)
    sys.modules["certificate_checker"] = package
    spec.loader.exec_module(package)
    main = import_module("certificate_checker.command").main

if __name__ == "__main__":
    sys.exit(main())
