"""Makes analyzer/scan/common.txt: which short texts stand in ordinary lines, and how often.

Counted in what is at hand: Python's own library (technical English), the fixtures' logs (TensorFlow, kernels,
schedulers) but for the lines that signals tell of, this program's own code and manual, which speak of what no fixture
has (NCCL, MPI, Kubernetes), and the lines of healthy jobs that lint measures rules on. Steps are ordinary although
signals tell of them: a healthy job says nothing else.
"""

from __future__ import annotations

import sys
import sysconfig
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from analyzer.reading import build_plan
from analyzer.reading.hits import confirm_hit
from analyzer.reading.plan import ReadPlan
from analyzer.rules.linting.pattern_cost import clean_lines
from analyzer.rules.load import load_packs
from analyzer.scan import unpack_hit
from analyzer.scan.text_frequency import GRAM_SIZES

ROOT = Path(__file__).parent.parent
MIN_OFTEN_LINES = 15  # of 10,000 lines; below it is rare
SHARES = {"library": 0.3, "fixtures": 1.0, "own": 0.1, "healthy": 0.3}  # how much a line of each counts


def texts() -> Iterator[tuple[str, str]]:
    library = Path(sysconfig.get_paths()["stdlib"])
    for folder in ("", "asyncio", "multiprocessing", "pydoc_data", "logging", "email", "http"):
        for path in sorted((library / folder).glob("*.py")):
            yield "library", path.read_text(errors="replace")
    plan = build_plan(load_packs())
    for path in sorted((ROOT / "fixtures").glob("*/*.tar*")):
        with tarfile.open(path) as archive:
            for member in archive:
                if (file := archive.extractfile(member)) and b"\0" not in (data := file.read(1_000_000))[:4096]:
                    yield "fixtures", _ordinary(data, plan)
    for path in (*sorted((ROOT / "analyzer").rglob("*.py")), *sorted((ROOT / "docs").glob("*.md"))):
        yield "own", path.read_text()
    yield "healthy", "\n".join(clean_lines())


def _ordinary(data: bytes, plan: ReadPlan) -> str:
    lines = data.split(b"\n")
    known_numbers: set[int] = set()
    for end, index in map(unpack_hit, plan.scanner.scan(data)):
        signal, place = plan.pattern_owners[index]
        number = data.count(b"\n", 0, end - 1)
        text = lines[number].decode("utf-8", "replace")
        ready = plan.signals[signal]
        if "progress" not in ready.signal.feeds and confirm_hit(ready, text, text, (place,)) is not None:
            known_numbers.add(number)
    return b"\n".join(line for number, line in enumerate(lines) if number not in known_numbers).decode(
        "utf-8", "replace"
    )


def main() -> None:
    counts: dict[str, Counter[str]] = {name: Counter() for name in SHARES}
    lines: Counter[str] = Counter()
    for name, text in texts():
        low = text.lower()
        lines[name] += low.count("\n") + 1
        for size in GRAM_SIZES:
            counts[name].update(low[at : at + size] for at in range(len(low) - size + 1))
    total: Counter[str] = Counter()
    for name, share in SHARES.items():
        for part, count in counts[name].items():
            if part.isascii() and part.isprintable():
                total[part] += count / lines[name] * share * 10_000
    often = sorted(((round(count), part) for part, count in total.items() if count >= MIN_OFTEN_LINES), reverse=True)
    (ROOT / "analyzer/scan/common.txt").write_text(
        "# Texts of four, six and eight characters, and in how many of 10,000 ordinary lines they stand; made by\n"
        "# benchmarks/common_grams.py. What is not here is rare. Nothing but speed depends on it.\n"
        + "".join(f"{count}\t{part}\n" for count, part in often)
    )
    sys.stdout.write(f"{len(often)} of {len(total)}\n")


if __name__ == "__main__":
    main()
