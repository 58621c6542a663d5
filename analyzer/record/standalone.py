"""The command line of the standalone collector, for machines without the analyzer: `python3 collector.pyz collect …`.

It needs Python 3.9 or later. `record` needs psutil too; `collect` collects less without it.
"""

from __future__ import annotations

import signal
import sys

from analyzer.collect.command_line import run_collect
from analyzer.record.command_line import run_record

USAGE = "usage: collector.pyz {collect,record} [options]; each has --help\n"


def main() -> int:
    """Run `collect` or `record`. Exit status: that of the command; 128 + n if signal n ended it."""
    name, words = (sys.argv[1:2] or [""])[0], sys.argv[2:]
    if name == "record":
        return run_record(words, "collector.pyz record")
    if name != "collect":
        sys.stderr.write(USAGE)
        return 0 if name in ("-h", "--help") else 2
    for number in (signal.SIGTERM, signal.SIGHUP):  # unwinds, so that nothing half-made stays
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda received, _: sys.exit(128 + received))
    try:
        return run_collect(words, "collector.pyz collect")
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
