"""The door of `tf-postmortem` and `python -m analyzer`: a Ctrl-C comes while the rest is loaded, too."""

from __future__ import annotations

import os
import signal


def main() -> None:
    """Until the program is loaded it has nothing to clear up: a Ctrl-C ends it where it is, and prints no traceback."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
    from analyzer.cli import main as run

    run()


def _stop(number: int, _: object) -> None:
    try:
        os.write(2, b"stopped\n")
    finally:  # standard error may be closed
        os._exit(128 + number)


if __name__ == "__main__":
    main()
