"""A time of day alone has the day of the nearest earlier line with a date, whatever stands further down."""

from __future__ import annotations

from pathlib import Path

import pytest

from tf_postmortem import analyze

TRACEBACK = """Traceback (most recent call last):
  File "/srv/train.py", line 24, in <module>
    main()
KeyError: 'lr'
"""


def time_of_error(folder: Path, text: str) -> str:
    (folder / "n1.log").write_text(text)
    findings = dict(analyze(folder).data)["findings"]
    return next(finding["evidence"][0]["corrected"] for finding in findings if finding["rule"] == "user-code-error")


@pytest.mark.parametrize(
    "dated", ["2026-03-05 23:59:50.000000: I tensorflow/core/a.cc:1] up", "[Thu Mar  5 23:59:50 2026] up"]
)
@pytest.mark.parametrize("clock", ["[23:59:58] step 1 loss 2.0", "[00:00:04] step 1 loss 2.0"])
def test_it_is_near_the_line_before(dated: str, clock: str, tmp_path: Path) -> None:
    older = "[Mon Mar  2 08:00:00 2026] usb 1-1: new device\n"
    day = "05" if clock.startswith("[23") else "06"
    assert time_of_error(tmp_path, f"{dated}\n{clock}\n{TRACEBACK}{older}").startswith(f"2026-03-{day}T{clock[1:9]}")


def test_the_day_goes_on_from_line_to_line(tmp_path: Path) -> None:
    clocks = "".join(f"[{hour % 24:02}:00:00] step {hour} loss 2.0\n" for hour in range(5, 45, 4))
    text = f"2026-03-05 05:00:00.000000: I tensorflow/core/a.cc:1] up\n{clocks}{TRACEBACK}"
    assert time_of_error(tmp_path, text).startswith("2026-03-06T17:00:00")
