"""Write the corpus: the folders `good` and `bad` beside this file.

    python tests/certificates/make_corpus.py [FOLDER]

The same files come out each time: claims are exact, and nothing in a certificate depends on the machine or the day.  A
claim that changes here has changed its truth, or its form, and every file that differs is named.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bad_files import bad_files
from good_claims import good_certificates


def main() -> None:
    """Write all files, and say which of them are new, changed or gone."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    good = good_certificates()
    for name, files in (("good", good), ("bad", bad_files(good))):
        _write(folder / name, {f"{file}.json": data for file, data in files.items()})


def _write(folder: Path, files: dict[str, bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for name in sorted(before.keys() - files.keys()):
        (folder / name).unlink()
        print(f"{folder.name}/{name}: gone")
    for name, data in sorted(files.items()):
        if before.get(name) != data:
            (folder / name).write_bytes(data)
            print(f"{folder.name}/{name}: {'changed' if name in before else 'new'}")
    print(f"{folder}: {len(files)} files, {sum(map(len, files.values()))} bytes")


if __name__ == "__main__":
    main()
