"""The entry point of `tf-postmortem` and `python -m analyzer`. It handles a Ctrl-C while the rest is still loading."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line. Until it is loaded there is nothing to clean up: a Ctrl-C ends the process without a
    traceback.
    """
    _import_nothing_from_here()
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
    from analyzer.cli import main as run

    run()


def _import_nothing_from_here() -> None:
    """Remove the current folder from the import path, as it may be an unpacked incident.

    `python -m` looks for modules there first, and so does any Python with an empty entry in PYTHONPATH. Only `python
    -P` protects what `-m` itself imports before this line.
    """
    try:
        here = os.path.realpath(os.curdir)  # not pathlib, which would be imported from here
    except OSError:  # the folder was deleted
        return
    home = os.path.realpath(f"{__file__}/../..")
    if here != home and not here.startswith((f"{sys.prefix}{os.sep}", f"{sys.base_prefix}{os.sep}")):
        sys.path[:] = [folder for folder in sys.path if os.path.realpath(folder) != here]


def _stop(number: int, _: object) -> None:
    try:
        os.write(2, b"stopped\n")
    finally:  # standard error may be closed
        os._exit(128 + number)


if __name__ == "__main__":
    main()
