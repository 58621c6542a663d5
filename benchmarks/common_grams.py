"""Makes analyzer/scan/common.txt: which four characters in a row stand in ordinary text, and how often.

Counted in what is at hand: Python's own library (technical English), the fixtures' logs (TensorFlow, kernels,
schedulers), and this program's own code and manual, which speak of what no fixture has (NCCL, MPI, Kubernetes).
"""

from __future__ import annotations

import sys
import sysconfig
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
LEAST = 10  # of 10,000 lines; below it is rare
SHARES = {"library": 0.3, "fixtures": 1.0, "own": 0.3}  # how much a line of each counts


def texts() -> Iterator[tuple[str, str]]:
    library = Path(sysconfig.get_paths()["stdlib"])
    for folder in ("", "asyncio", "multiprocessing", "pydoc_data", "logging", "email", "http"):
        for path in sorted((library / folder).glob("*.py")):
            yield "library", path.read_text(errors="replace")
    for path in sorted((ROOT / "fixtures").glob("*/*.tar*")):
        with tarfile.open(path) as archive:
            for member in archive:
                if (file := archive.extractfile(member)) and b"\0" not in (data := file.read(1_000_000))[:4096]:
                    yield "fixtures", data.decode("utf-8", "replace")
    for path in (*sorted((ROOT / "analyzer").rglob("*.py")), *sorted((ROOT / "docs").glob("*.md"))):
        yield "own", path.read_text()


def main() -> None:
    counts: dict[str, Counter[str]] = {name: Counter() for name in SHARES}
    lines: Counter[str] = Counter()
    for name, text in texts():
        low = text.lower()
        lines[name] += low.count("\n") + 1
        counts[name].update(low[at : at + 4] for at in range(len(low) - 3))
    total: Counter[str] = Counter()
    for name, share in SHARES.items():
        for gram, count in counts[name].items():
            if gram.isascii() and gram.isprintable():
                total[gram] += count / lines[name] * share * 10_000
    often = sorted(((round(count), gram) for gram, count in total.items() if count >= LEAST), reverse=True)
    (ROOT / "analyzer/scan/common.txt").write_text(
        "# Four characters in a row and in how many of 10,000 ordinary lines they stand; made by\n"
        "# benchmarks/common_grams.py. What is not here is rare. Nothing but speed depends on it.\n"
        + "".join(f"{count}\t{gram}\n" for count, gram in often)
    )
    sys.stdout.write(f"{len(often)} of {len(total)}\n")


if __name__ == "__main__":
    main()
