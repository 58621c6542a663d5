"""The value of a secret is shown nowhere, also if only one of the two lines is shown on which its name and it stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.pipeline import analyze
from analyzer.redact.settings import mask_values_on_next_lines
from analyzer.redact.split_settings import SplitSettingMasker
from tests.redact.outputs import every_output

SECRET = "Zq7kTrw1Vb9x"
STAMPS = ("", "2026-11-21 07:38:0{n},{n}23 ERROR train: ", "2026-11-21T07:38:0{n}.123456Z stderr F ", "[rank{n}] ")
PAIRS = (
    ("db_password:", f"  {SECRET}"),
    ("DB_PASSWORD=\\", SECRET),
    ("--password", SECRET),
    ("пароль:", f"  {SECRET}"),
    ("Größe ü, mot de passe:", f"  {SECRET}"),
    ("  api_key: |", f"    {SECRET}"),
    ("- name: DB_PASSWORD", f"  value: {SECRET}"),
    ("<name>fs.s3a.secret.key</name>", f"<value>{SECRET}</value>"),
)
OTHERS = (
    ("Traceback (most recent call last):", '  File "train.py", line 7'),
    ("tokens per second:", "  4096"),
    ("the key:", "  loss"),
    ("- name: STEPS", "  value: 1000"),
    ("echo x | docker login --password-stdin", "echo y | docker login --password-stdin"),
    ("--password", "  --verbose"),
    ("secret_file:", "  /etc/ssl/x.pem"),
)


def stamped(lines: tuple[str, str], stamp: str, both: bool = True) -> str:
    first, second = lines
    return f"{stamp.format(n=1)}{first}\n{stamp.format(n=2) if both else ''}{second}\n"


@pytest.mark.parametrize("stamp", STAMPS)
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize(
    "before", ["", "step 1\n", "2026-11-21 07:38:01,123 INFO train: step 1 loss 0.5 accuracy 0.25\n" * 3]
)
def test_the_value_is_overwritten_wherever_the_file_is_cut(stamp: str, pair: tuple[str, str], before: str) -> None:
    text = f"{before}{stamped(pair, stamp)}behind\n"
    masked = SplitSettingMasker().mask(text.encode())
    assert len(masked) == len(text.encode()) and SECRET.encode() not in masked
    assert masked.replace(b"*", b"") == text.replace(SECRET, "").encode()
    lines = text.splitlines(keepends=True)
    masker = SplitSettingMasker()
    assert b"".join(masker.mask(line.encode()) for line in lines) == masked


@pytest.mark.parametrize("stamp", STAMPS)
@pytest.mark.parametrize("pair", OTHERS)
def test_what_is_no_secret_stays(stamp: str, pair: tuple[str, str]) -> None:
    text = stamped(pair, stamp).encode()
    assert SplitSettingMasker().mask(text) == text


@pytest.mark.parametrize("stamp", STAMPS)
@pytest.mark.parametrize("pair", PAIRS)
def test_lines_of_a_report_are_masked_the_same_way(stamp: str, pair: tuple[str, str]) -> None:
    assert SECRET not in "\n".join(mask_values_on_next_lines(stamped(pair, stamp).splitlines()))


def test_a_value_whose_name_is_not_shown_is_in_no_output(tmp_path: Path) -> None:
    """The context of an event begins with a line of values, and one of the lines is an event itself."""
    lines = ["2026-11-21 07:38:00,000 INFO train: step 1 loss 0.5"]
    for number, pair in enumerate(PAIRS):
        for distance in range(6):
            lines += stamped(pair, STAMPS[1]).splitlines()
            lines += ["2026-11-21 07:38:03,000 INFO train: waiting"] * distance
            lines += [
                f"2026-11-21 07:38:04.000000: F tensorflow/core/x.cc:{number}{distance}] Check failed: ok_{number}"
            ]
    (tmp_path / "worker-0.log").write_text("\n".join(lines) + "\n")
    incident = analyze([tmp_path])
    for name, text in every_output(incident, redact=False).items():
        assert SECRET not in text, name
