"""What the launcher says of what it does and sees, in the words of launchers.yaml."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

import yaml

from accuracy.record.listen import Listener

DIED = {6: "Aborted", 9: "Killed", 11: "Segmentation fault", 15: "Terminated", 7: "Bus error", 4: "Illegal instruction"}


class Words:
    def __init__(self, style: str, listener: Listener) -> None:
        path = Path(__file__).resolve().parent / "launchers.yaml"
        self.texts: dict[str, str] = yaml.safe_load(path.read_text())[style]
        self.listener = listener

    def say(self, event: str, **facts: Any) -> None:
        text = self.texts.get(event, "")
        if "number" in facts:
            number = facts["number"]
            facts |= {"signal": signal.Signals(number).name, "died": DIED.get(number, signal.strsignal(number))}
        now = time.time()
        stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(now)) + f",{int(now * 1000) % 1000:03}"
        if text:
            message = text.removeprefix(">").format(now=stamp, **facts)
            self.listener.hear("launcher", "out" if text.startswith(">") else "err", message)
