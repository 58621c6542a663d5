"""What terminals and their recorders add: prompts of bash, and the head and foot of script(1).

Source: term-utils/script.c of https://github.com/util-linux/util-linux/tree/v2.38
"""

from __future__ import annotations

from accuracy.identities import Identities
from accuracy.runs import Run

PASTE_ON, PASTE_OFF = "\x1b[?2004h", "\x1b[?2004l\r"  # bracketed paste, which readline switches at each prompt


def _when(run: Run, host: str, time_ns: int) -> str:
    return run.local(host, time_ns).isoformat(" ", "seconds")


def script_starts(run: Run, host: str, time_ns: int, command: str = "") -> bytes:
    what = f'COMMAND="{command}" ' if command else ""
    size = 'TERM="xterm-256color" TTY="/dev/pts/3" COLUMNS="211" LINES="53"'
    return f"Script started on {_when(run, host, time_ns)} [{what}{size}]\n".encode()


def script_ends(run: Run, host: str, time_ns: int, status: int) -> bytes:
    return f'\nScript done on {_when(run, host, time_ns)} [COMMAND_EXIT_CODE="{status}"]\n'.encode()


def prompt(identities: Identities, host: str) -> str:
    """Of bash as Debian and Ubuntu set it up: the window's title, then USER@HOST:FOLDER$."""
    place = f"{identities.user}@{host}"
    return f"{PASTE_ON}\x1b]0;{place}: ~/train\x07{place}:~/train$ "


def typed(command: str) -> str:
    """What the terminal echoes."""
    return f"{command}\r\n{PASTE_OFF}"
