"""The programs of this folder are no tests: they make the corpus, and break it."""

collect_ignore_glob = ["*.py"]
