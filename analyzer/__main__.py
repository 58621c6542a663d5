"""The door of `tf-postmortem` and `python -m analyzer`: a Ctrl-C comes while the rest is loaded, too."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Until the program is loaded it has nothing to clear up: a Ctrl-C ends it where it is, and prints no traceback."""
    _import_nothing_from_here()
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
    from analyzer.cli import main as run

    run()


def _import_nothing_from_here() -> None:
    """The current folder may be an unpacked incident. `python -m` looks for modules there first, and so does any Python
    with an empty entry in PYTHONPATH. What `-m` itself imports before this line, only `python -P` protects.
    """
    try:
        here = os.path.realpath(os.curdir)  # no pathlib: that would come from here
    except OSError:  # it is gone
        return
    home = os.path.realpath(f"{__file__}/../..")
    if here != home and not here.startswith((f"{sys.prefix}{os.sep}", f"{sys.base_prefix}{os.sep}")):
        sys.path[:] = [place for place in sys.path if os.path.realpath(place) != here]


def _stop(number: int, _: object) -> None:
    try:
        os.write(2, b"stopped\n")
    finally:  # standard error may be closed
        os._exit(128 + number)


if __name__ == "__main__":
    main()
