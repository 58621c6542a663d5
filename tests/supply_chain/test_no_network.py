"""An analysis asks nobody: no name is looked up and no connection made, in no process of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOG_LINE = b"2026-03-01 10:00:00 INFO step 1 at http://127.0.0.1:1/ and s3://bucket/x\n"
LISTENER = """
import os, sys
def heard(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        with open(os.environ["HEARD"], "a") as file:
            file.write(f"{event} {arguments}\\n")
sys.addaudithook(heard)
"""


def test_an_analysis_asks_nobody(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(LISTENER)
    for node in ("n1", "n2"):
        (tmp_path / "logs" / node).mkdir(parents=True)
        (tmp_path / "logs" / node / "a.log").write_bytes(LOG_LINE * 100 + b"nothing of note\n" * 600_000)
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}", "HEARD": str(tmp_path / "heard")}
    environment.pop("DEBUGINFOD_URLS", None)
    for options in (("-o", "r.html", "--jobs", "2"), ("--markdown", "r.md", "--history", "h", "--jobs", "1")):
        command = [sys.executable, "-m", "analyzer", "analyze", "logs", "-q", *options]
        subprocess.run(command, cwd=tmp_path, env=environment, check=True, timeout=120)
    assert not (tmp_path / "heard").exists(), (tmp_path / "heard").read_text()
    call = "import socket; socket.socket(type=socket.SOCK_DGRAM).connect(('127.0.0.1', 9))"
    subprocess.run([sys.executable, "-c", call], env=environment, check=True, timeout=60)
    assert "socket.connect" in (tmp_path / "heard").read_text()  # whoever asks is heard
